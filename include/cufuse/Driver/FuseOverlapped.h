// From kernels in files to a launch of each, which begins while the one before it ends.
#pragma once

#include "cufuse/Driver/Pipeline.h"
#include "cufuse/Support/FileStore.h"

namespace cufuse {

/// Several outputs of one command.
struct OverlappedOutputs {
  std::vector<FuseResult> Results;   ///< Of each kernel.
  std::vector<FuseRequest> Requests; ///< The same; their outputs and names have the kernels' names behind the whole's.
  std::vector<OutputFile> Files;     ///< Theirs, and what launches all of them.
};

/// An output for each kernel, whose launch may begin before the one before it has ended (programmatic dependent
/// launch), and the one that launches all of them in the order of the request. Each kernel waits for the end of all
/// that was launched before, before it does anything: so nothing is asked of what they load and store. Refused for
/// architectures before sm_90, which have no such launches, and where a cache would keep what a kernel before has
/// changed meanwhile.
llvm::Expected<OverlappedOutputs> fuseOverlapped(const Toolchain &Tools, const FuseRequest &Request,
                                                 llvm::function_ref<void(const std::string &)> Say);

} // namespace cufuse
