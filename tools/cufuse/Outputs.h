// What `cufuse fuse` writes, as old as what it was made of, and says of it.
#pragma once

#include "cufuse/Driver/FuseSeveral.h"
#include "cufuse/Support/FileStore.h"

namespace cufuse {

std::string preludeOf(const FuseRequest &Request);

/// Of a build system, which compares times: what is changed while it is read is newer than what comes of it.
FileTime beginning(const FuseRequest &Request);

llvm::Error writeOutputs(const std::vector<OutputFile> &Files, const FuseRequest &Request, FileTime Began);

/// What was written, and how to compile it. A build system, which asks for a depfile, knows.
std::string written(const FuseRequest &Request, const FuseResult &Result);

} // namespace cufuse
