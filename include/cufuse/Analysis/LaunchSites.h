// The block shapes with which a file launches a kernel.
#pragma once

#include "cufuse/Frontend/Parse.h"
#include "cufuse/Support/BlockShape.h"

#include <optional>
#include <vector>

namespace cufuse {

/// One entry per `kernel<<<grid, block, …>>>` in the user's files, instantiated templates included; nullopt where the
/// block is not a constant.
std::vector<std::optional<BlockShape>> launchBlocks(const ParsedUnit &Unit, const clang::FunctionDecl &Kernel);

} // namespace cufuse
