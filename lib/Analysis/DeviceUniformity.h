// What all threads of a block, or all lanes of a warp, agree on.
#pragma once

#include "CommonLoads.h"
#include "Meetings.h"

#include <llvm/Analysis/TargetTransformInfoImpl.h>

namespace cufuse {

/// Who agrees: all threads of a block, or all lanes of a warp in a block whose rows are whole warps, that is one row,
/// or that is one plane. In rows, threadIdx.y and z are the same in a warp, and threadIdx.x is a multiple of 32 and the
/// lane; in a plane, threadIdx.y * blockDim.x + threadIdx.x is.
enum class Among { Block, WarpOfRows, WarpOfRow, WarpOfPlane };

/// Sources of divergence for LLVM's analysis, which asks a target for them.
class ThreadsOfBlock : public llvm::TargetTransformInfoImplBase {
public:
  ThreadsOfBlock(const DeviceIr &Ir, const llvm::Function &F, Among Threads, bool &SignedThreadNumber)
      : TargetTransformInfoImplBase(F.getDataLayout()), Ir(Ir), Threads(Threads), OrdersParts(ordersParts(Ir)),
        Loads(Ir, F), SignedThreadNumber(SignedThreadNumber) {}
  bool hasBranchDivergence(const llvm::Function *) const override { return true; }
  llvm::InstructionUniformity getInstructionUniformity(const llvm::Value *V) const override;

private:
  llvm::InstructionUniformity call(const llvm::CallBase &Call) const;
  bool isSame(llvm::StringRef Register) const;
  bool isPlainlyUniform(const llvm::Value *V, unsigned Depth = 0) const;
  bool isWholeWarps(const llvm::Value *V, unsigned Depth = 0) const;
  bool isLaneNumber(const llvm::Value *V, unsigned Depth = 0) const;
  bool isRowAndColumn(const llvm::Value *Row, const llvm::Value *Column) const;
  bool isWarpUniform(const llvm::Value *V) const;

  const DeviceIr &Ir;
  const Among Threads;
  const bool OrdersParts; ///< Barriers of a part of the block say when its threads go on.
  mutable CommonLoads Loads;
  bool &SignedThreadNumber; ///< A number of a thread that may be negative is divided.
};

} // namespace cufuse
