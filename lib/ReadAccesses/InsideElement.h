// Which element an access to a part of it belongs to, where loops go over the parts.
#pragma once

#include "cufuse/Kernel/Accesses.h"

#include <llvm/ADT/ArrayRef.h>

#include <cstdint>
#include <optional>

namespace cufuse {

/// Of bytes from `Offset + Begin` to `Offset + End`: the element of so many `Bytes` in which they lie in every turn of
/// the loops around them, as of `p[i].v[k]` where `k < 4`. Nothing if they may lie in several.
std::optional<Polynomial> elementAround(const Polynomial &Offset, std::int64_t Begin, std::int64_t End,
                                        std::int64_t Bytes, llvm::ArrayRef<PathStep> Path,
                                        llvm::ArrayRef<LoopAccess> Loops);

} // namespace cufuse
