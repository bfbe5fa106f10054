// May threads of a block leave while others still wait? A warp that has exited is not counted by a barrier with an
// explicit count, so the others would wait for ever (PTX ISA, barrier; `horizontal.md`, rule 3).
#pragma once

#include "cufuse/Analysis/Reach.h"
#include "cufuse/Kernel/KernelFacts.h"

#include <vector>

namespace cufuse {

/// Functions that execute a barrier, themselves or through a callee.
llvm::SetVector<const clang::FunctionDecl *> synchronisingFunctions(const Reached &Reach);

/// Functions of libraries that use the block, and of which the linker of relocatable code keeps one for all files. In a
/// fused file they are compiled for a part of the block.
llvm::SetVector<const clang::FunctionDecl *> libraryFunctionsOfLinker(const Reached &Reach);

/// Places where a thread may leave before others that still synchronise.
struct DivergentExits {
  std::vector<Finding> BeforeBarrier, BeforeWarpPrimitive;
  bool SignedThreadNumber = false; ///< See KernelFacts.
};

/// An explicit `return` counts unless its condition is proved uniform. Where threads only part and meet again, a
/// barrier on one side counts if the condition provably varies between threads, since CUDA demands that a barrier's
/// condition is uniform in the block (CUDA C++ Programming Guide, synchronization functions).
DivergentExits findDivergentExits(const ParsedUnit &Unit, const Reached &Reach);

} // namespace cufuse
