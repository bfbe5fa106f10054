// From kernels in files to several outputs, and one that launches these.
#pragma once

#include "cufuse/Driver/Pipeline.h"
#include "cufuse/Support/FileStore.h"

namespace cufuse {

/// Several outputs of one command.
struct SeveralOutputs {
  std::vector<FuseRequest> Requests; ///< Of each.
  std::vector<FuseResult> Results;   ///< The same.
  std::vector<OutputFile> Files;     ///< Theirs, and what launches them.
};

/// Fuses as each of the `Requests` says, which have one kernel, and writes what chooses among them as `Whole` says,
/// whose output and name are others: a launch takes one of them by its size. Refused where a launch has a grid that
/// depends on the block.
llvm::Expected<SeveralOutputs> fuseBySize(const Toolchain &Tools, std::vector<FuseRequest> Requests,
                                          const FuseRequest &Whole, llvm::function_ref<void(const std::string &)> Say);

/// An output for each kernel, whose launch may begin before the one before it has ended (programmatic dependent
/// launch), and the one that launches all of them in the order of the request. Their outputs and names have the
/// kernels' names behind the whole's. Each kernel waits for the end of all that was launched before, before it does
/// anything: so nothing is asked of what they load and store. Refused for architectures before sm_90, which have no
/// such launches, and where a cache would keep what a kernel before has changed meanwhile.
llvm::Expected<SeveralOutputs> fuseOverlapped(const Toolchain &Tools, FuseRequest Request,
                                              llvm::function_ref<void(const std::string &)> Say);

} // namespace cufuse
