// What outputs of one program may share, in a header of its own: the text of lib/Cuda that is the same in every output.
#pragma once

#include "EmittedCuda.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

namespace cufuse::cuda {

/// For the device; each stands behind what it names.
inline constexpr llvm::StringLiteral OfDevice[] = {
    Grid, Share, Pointer, Place, Elements, Casts, ElementGroups, ElementsInMemory, AsStored, ScalarAccess, Turn};
/// For the launcher.
inline constexpr llvm::StringLiteral OfLauncher[] = {Launcher, SharedMemory};

inline bool isShared(llvm::StringRef File) { return llvm::is_contained(OfDevice, File); }

} // namespace cufuse::cuda
