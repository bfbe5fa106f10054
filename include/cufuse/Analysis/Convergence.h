// May threads of a block leave while others still wait? A warp that has exited is not counted by a barrier with an
// explicit count, so the others would wait for ever (PTX ISA, barrier; `horizontal.md`, rule 3).
#pragma once

#include "cufuse/Analysis/Blocker.h"
#include "cufuse/Analysis/Reach.h"

#include <vector>

namespace cufuse {

/// Functions that execute a barrier, themselves or through a callee.
llvm::SetVector<const clang::FunctionDecl *> synchronisingFunctions(const Reached &Reach);

/// Places where a thread may leave a function before a barrier or a warp primitive that others still execute.
/// An explicit `return` counts unless its condition is proved uniform; falling off the end, only where the condition
/// provably varies between threads, since CUDA demands that a barrier's condition is uniform in the block
/// (CUDA C++ Programming Guide, synchronization functions).
std::vector<Blocker> findDivergentExits(const ParsedUnit &Unit, const Reached &Reach);

} // namespace cufuse
