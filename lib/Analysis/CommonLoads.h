// Loads by several threads from one place: may these find different values there?
#pragma once

#include "FreshReads.h"
#include "cufuse/Analysis/DeviceIr.h"

#include <llvm/IR/InstrTypes.h>

#include <vector>

namespace cufuse {

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

} // namespace cufuse
