// Library functions that use the block, by what the text calls.
#pragma once

#include "cufuse/Analysis/Reach.h"

namespace cufuse {

/// Functions of libraries that use the block, and of which the linker of relocatable code keeps one for all files. In a
/// fused file they are compiled for a part of the block.
llvm::SetVector<const clang::FunctionDecl *> libraryFunctionsOfLinker(const Reached &Reach);

} // namespace cufuse
