// What all threads of a block, or all lanes of a warp, agree on.
#pragma once

#include "FreshReads.h"
#include "cufuse/Code/Meetings.h"

#include <llvm/Analysis/TargetTransformInfoImpl.h>

namespace cufuse {

/// Loads by several threads from one place: may these find different values there?
class CommonLoads {
public:
  /// `F`: the kernel, or a copy of it, that has the loads.
  CommonLoads(const DeviceIr &Ir, const llvm::Function &F);

  /// May threads of one block that load from the place find different values?
  /// Memory that other blocks reach, these may change at any time: where the kernel stores there at all, that is by the
  /// same argument or variable. What the block itself stores counts where there is a way from the load, in either
  /// direction, without a barrier of the block; if nothing but these keeps threads in order, only by the same pointer:
  /// CUDA calls it a race, but much code has such flags.
  bool mayChange(const llvm::Instruction &Load, const llvm::Value *Pointer);

private:
  bool maySomeBlockStore(const llvm::Instruction &Load, const llvm::Value *Pointer);
  bool mayChangeBetweenBarriers(const llvm::Instruction &Load, const llvm::Value *Pointer);
  bool mayStore(const llvm::Instruction &I, const llvm::Value *Pointer);

  const DeviceIr &Ir;
  const bool OrdersByMemory; ///< Atomics, fences, volatile memory or meetings of lanes may keep threads in order.
  FreshReads Reads;
  std::vector<const llvm::Instruction *> ForOthers; ///< They store where other blocks may read.
};

/// Does nothing write where the pointer leads, itself or by a pointer that is made of it?
bool isOnlyRead(const llvm::Value &Pointer);

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
  bool isLaneNumber(const llvm::Value *V, const llvm::BasicBlock &Asked, unsigned Depth = 0) const;
  bool isLaneCounter(const llvm::PHINode &Phi, const llvm::BasicBlock &Asked, unsigned Depth) const;
  bool isThreadOfPlane(const llvm::Value *Sum) const;
  bool isRowAndColumn(const llvm::Value *Row, const llvm::Value *Column) const;
  bool isWarpUniform(const llvm::Value *V) const;

  const DeviceIr &Ir;
  const Among Threads;
  const bool OrdersParts; ///< Barriers of a part of the block say when its threads go on.
  mutable CommonLoads Loads;
  bool &SignedThreadNumber; ///< A number of a thread that may be negative is divided.
};

} // namespace cufuse
