// Loads by several threads from one place: may these find different values there?
#pragma once

#include "cufuse/Analysis/DeviceIr.h"

#include <llvm/IR/InstrTypes.h>

namespace cufuse {

/// Can its threads keep each other in order by atomics, fences, volatile memory or meetings of lanes?
bool ordersByMemory(const DeviceIr &Ir);

/// What a load with a cache hint reads, by a function that Clang does not have; null of other calls.
const llvm::Value *readByHint(const DeviceIr &Ir, const llvm::CallBase &Call);

/// Is there a way between the load and something that may store there without a barrier of the block? Then threads that
/// an atomic or a fence keeps in order may find different values. `BySamePointer`: only a store by the pointer itself
/// counts. CUDA calls that a race where nothing keeps threads in order, but much code has such flags.
bool mayChangeBetweenBarriers(const DeviceIr &Ir, const llvm::Instruction &Load, const llvm::Value *Pointer,
                              bool BySamePointer);

} // namespace cufuse
