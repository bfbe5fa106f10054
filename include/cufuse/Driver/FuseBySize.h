// From kernels in files to outputs of which a launch takes one by its size.
#pragma once

#include "cufuse/Driver/Pipeline.h"
#include "cufuse/Support/FileStore.h"

namespace cufuse {

struct FusedBySize {
  std::vector<FuseResult> Results; ///< Of the requests.
  std::vector<OutputFile> Files;   ///< Theirs, and what chooses.
};

/// Fuses as each of the `Requests` says, which have one kernel, and writes what chooses among them as `Whole` says,
/// whose output and name are others. Refused where a launch has a grid that depends on the block.
llvm::Expected<FusedBySize> fuseBySize(const Toolchain &Tools, llvm::ArrayRef<FuseRequest> Requests,
                                       const FuseRequest &Whole, llvm::function_ref<void(const std::string &)> Say);

} // namespace cufuse
