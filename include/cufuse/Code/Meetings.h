// Where the threads of a block, or the lanes of a warp, wait for each other.
#pragma once

#include "cufuse/Reach/DeviceIr.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>
#include <string>
#include <vector>

namespace cufuse {

/// What a call does to the threads that come to it.
enum class Meets { Nobody, Block, Warp, Unknown };

/// Does it synchronise, as an intrinsic, in assembly, or in a function whose code is not there?
Meets meets(const DeviceIr &Ir, const llvm::CallBase &Call);

/// Does the kernel ask for the lane that a thread is in its warp, but in a reduction of the block?
bool asksLane(const DeviceIr &Ir);

/// May lanes part in assembly that synchronises a warp: by a predicate of what synchronises, or by a branch?
bool partsInside(const llvm::CallBase &Call);

/// May a function with a body, or whatever a pointer leads to, wait for the block, or the warp?
bool mayMeetInside(const DeviceIr &Ir, const llvm::CallBase &Call, Meets Who);

/// Does the user's text call functions that only pointers, or tables of virtual functions, know?
bool callsThroughPointer(const DeviceIr &Ir);
/// Functions that may wait for the block, by the calls through pointers that may lead there.
std::vector<std::pair<const llvm::CallBase *, const llvm::Function *>> waitsThroughPointers(const DeviceIr &Ir);

/// What it calls and what that calls, itself if it is recursive. A pointer may lead to any function that is named other
/// than by a call.
llvm::SmallSetVector<llvm::Function *, 8> calledBy(const llvm::Function &Caller);

/// A hardware barrier that the kernel, or what it calls, names by a number, but for 0, the block's own.
struct NamedBarrier {
  const llvm::CallBase *By;
  std::string What;                    ///< As the text calls it.
  std::optional<std::uint64_t> Number; ///< 16 for all that are none; nothing where only the run knows it.
  bool HasCount, Arrives;
};
std::vector<NamedBarrier> namedBarriers(const DeviceIr &Ir);

/// What the text calls it, or says that it is.
std::string calledAs(const DeviceIr &Ir, const llvm::CallBase &Call);

/// The lanes that a warp primitive waits for; null where that is no operand.
const llvm::Value *lanesOf(const llvm::CallBase &Call);
bool namesAllLanes(const llvm::CallBase &Call);

/// What all lanes of a warp do together, each with a part of a matrix. LLVM says of some that lanes may do it alone.
bool isMatrixOperation(const llvm::Value &Call);

/// Does the kernel wait at barriers that are not the whole block's?
bool ordersParts(const DeviceIr &Ir);

} // namespace cufuse
