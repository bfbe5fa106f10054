// The configuration that a request describes.
#pragma once

#include "cufuse/Driver/FuseRequest.h"
#include "cufuse/Emit/Emit.h"

namespace cufuse {

/// From the choices, or by the database. `Explanation` gets where each choice comes from, `Tuned` what the database
/// says of it.
llvm::Expected<FusionConfig> choose(const FuseRequest &Request, llvm::ArrayRef<LoadedKernel> Kernels,
                                    llvm::ArrayRef<Constituent> Constituents, std::vector<std::string> &Explanation,
                                    std::vector<std::string> &Tuned);

/// The block that a composed kernel will have: its root's.
llvm::Expected<BlockShape> rootBlock(const FuseRequest &Request, const LoadedKernel &Root, const std::string &Name,
                                     bool AnyWillDo);

} // namespace cufuse
