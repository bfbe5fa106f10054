// What inline assembly says of the thread block (PTX ISA, special registers; bar, barrier).
#pragma once

#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Ptx/PtxWords.h"

#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/StringRef.h>

#include <set>
#include <string>
#include <vector>

namespace llvm {
class CallBase;
}

namespace cufuse {

/// A special register or a barrier that has a counterpart in a partition.
struct AssemblyMention {
  enum class Kind {
    Register, ///< `%%tid.x` and its like: a component of a built-in variable.
    WarpId,   ///< `%%warpid`
    Barrier,  ///< `bar.sync` or `bar.arrive`, or the same of `barrier` and `barrier.cta`
  };
  Kind What = Kind::Register;
  unsigned At = 0, Length = 0; ///< In the text: the register, or the number of the barrier.
  Builtin Variable = Builtin::ThreadIdx;
  int Dimension = 0;
  unsigned Number = 0;    ///< Of the barrier; of the operand that holds it if `IsOperand`.
  bool IsOperand = false; ///< Written as `%0`.
  bool HasCount = false;  ///< Otherwise all threads of the block.
  bool Arrives = false;   ///< Without waiting.
};

struct AssemblyScan {
  std::vector<AssemblyMention> Mentions; ///< In order.
  /// The first thing that has no counterpart, or "": registers of the launch and the cluster, what ends the thread or
  /// calls, and whatever the tables of Ptx/PtxTable.h do not know.
  std::string Unknown;
  std::string Warp; ///< The first instruction that several lanes execute together (`shfl.sync.bfly.b32`), or "".
  std::set<std::string> Declared; ///< Registers, labels and memory.
  std::set<std::string> Names;    ///< Other names than those, of registers and of operands.
  std::string Copy;               ///< The first that goes on after it (`cp.async.ca.shared.global`), or "".
};

/// May the statement read its special registers from operands? Where an instruction writes an output before another
/// reads an operand, nvcc may have given both one register, unless the output says `&`.
bool takesOperands(const clang::GCCAsmStmt &Assembly);

/// Scans the text of an assembly statement. Lane registers keep their meaning and are not mentioned.
AssemblyScan scanAssembly(llvm::StringRef Text);
AssemblyScan scanAssembly(const clang::GCCAsmStmt &Assembly);

/// The statements of assembly in device IR, but labels; operands are `$0`. None of other calls.
std::vector<PtxStatement> assemblyIn(const llvm::CallBase &Call);

/// Is it `bar.sync 0;` or the same in another spelling, and nothing else: what `__syncthreads()` is?
bool isBlockBarrier(const clang::GCCAsmStmt &Assembly);

/// Labels and registers that the statement declares for the whole function: outside any braces, by a name that is the
/// same wherever the statement stands.
std::set<std::string> unscopedNames(const clang::GCCAsmStmt &Assembly);

} // namespace cufuse
