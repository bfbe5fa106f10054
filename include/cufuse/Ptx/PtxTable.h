// What PTX can say of the threads around it: its special registers and instructions, as far as it matters whether a
// kernel shares its block and grid with others. One table for assembly in sources and for compiled outputs. What is not
// in it is not understood.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace cufuse {

struct PtxRegister {
  enum class Kind {
    Any,    ///< Means the same in a part of a block: the lane, clocks, the multiprocessor.
    Block,  ///< Has a counterpart in a partition: what may read it is decided by the plan.
    Refused ///< Says of the launch, the cluster or the block's memory what no partition has.
  };
  const char *Name; ///< Without `%` and component.
  Kind What;
  const char *Section; ///< Of the PTX ISA 9.0.
};

/// Null for a name that the ISA's list does not have. `Name` without `%` and component.
const PtxRegister *findPtxRegister(llvm::StringRef Name);

struct PtxFamily {
  enum class Kind {
    Computes,  ///< Of its operands, and does nothing else.
    Plain,     ///< Of the thread alone: memory, branches, mbarriers, which are memory.
    Warp,      ///< Of several lanes together.
    Copy,      ///< Goes on after the instruction, in memory of the block or from it.
    Barrier,   ///< Of the block's hardware barriers.
    End,       ///< Ends the thread, or the function.
    Call,      ///< Leads to another function.
    Registers, ///< setmaxnreg
    Refused    ///< Of the cluster, the grid or the tensor memory.
  };
  const char *Name; ///< The opcode's first parts: the longest that fits counts.
  Kind What;
  const char *Section; ///< Of the PTX ISA 9.0.
};

/// Null for an unknown opcode. `Opcode` with its qualifiers.
const PtxFamily *findPtxFamily(llvm::StringRef Opcode);

} // namespace cufuse
