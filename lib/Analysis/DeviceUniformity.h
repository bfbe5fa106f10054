// What all threads of a block, or all lanes of a warp, agree on.
#pragma once

#include "cufuse/Analysis/DeviceIr.h"

#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/IR/InstrTypes.h>

namespace cufuse {

/// What a call does to the threads that come to it.
enum class Meets { Nobody, Block, Warp, Unknown };

/// Does it synchronise, as an intrinsic, in assembly, or in a function whose code is not there?
Meets meets(const DeviceIr &Ir, const llvm::CallBase &Call);

/// May lanes part in assembly that synchronises a warp: by a predicate of what synchronises, or by a branch?
bool partsInside(const llvm::InlineAsm &Assembly);

/// May a function with a body, or whatever a pointer leads to, wait for the block?
bool mayWaitForBlockInside(const DeviceIr &Ir, const llvm::CallBase &Call);

/// The lanes that a warp primitive waits for; null where that is no operand.
const llvm::Value *lanesOf(const llvm::CallBase &Call);
bool namesAllLanes(const llvm::CallBase &Call);

/// Who agrees: all threads of a block, or all lanes of a warp in a block whose rows are whole warps, that is one row,
/// or that is one plane. In rows, threadIdx.y and z are the same in a warp, and threadIdx.x is a multiple of 32 and the
/// lane; in a plane, threadIdx.y * blockDim.x + threadIdx.x is.
enum class Among { Block, WarpOfRows, WarpOfRow, WarpOfPlane };

/// Does the kernel wait at barriers that are not the whole block's?
bool ordersParts(const DeviceIr &Ir);
/// Can its threads keep each other in order by atomics, fences, volatile memory or meetings of lanes?
bool ordersByMemory(const DeviceIr &Ir);

/// Sources of divergence for LLVM's analysis, which asks a target for them.
class ThreadsOfBlock : public llvm::TargetTransformInfoImplBase {
public:
  ThreadsOfBlock(const DeviceIr &Ir, const llvm::DataLayout &Layout, Among Threads, bool &SignedThreadNumber)
      : TargetTransformInfoImplBase(Layout), Ir(Ir), Threads(Threads), OrdersParts(ordersParts(Ir)),
        OrdersByMemory(ordersByMemory(Ir)), SignedThreadNumber(SignedThreadNumber) {}
  bool hasBranchDivergence(const llvm::Function *) const override { return true; }
  llvm::InstructionUniformity getInstructionUniformity(const llvm::Value *V) const override;

private:
  llvm::InstructionUniformity call(const llvm::CallBase &Call) const;
  bool mayChangeBetweenBarriers(const llvm::Instruction &Load, const llvm::Value *Pointer) const;
  bool isSame(llvm::StringRef Register) const;
  bool isPlainlyUniform(const llvm::Value *V, unsigned Depth = 0) const;
  bool isWholeWarps(const llvm::Value *V, unsigned Depth = 0) const;
  bool isLaneNumber(const llvm::Value *V, unsigned Depth = 0) const;
  bool isRowAndColumn(const llvm::Value *Row, const llvm::Value *Column) const;
  bool isWarpUniform(const llvm::Value *V) const;

  const DeviceIr &Ir;
  const Among Threads;
  const bool OrdersParts; ///< Barriers of a part of the block say when its threads go on.
  const bool OrdersByMemory;
  bool &SignedThreadNumber; ///< A number of a thread that may be negative is divided.
};

} // namespace cufuse
