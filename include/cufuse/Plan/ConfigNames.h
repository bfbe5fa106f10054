// How the command line, keys of candidates and JSON spell the choices of a fusion.
#pragma once

#include "cufuse/Plan/FusionConfig.h"
#include "cufuse/Support/Names.h"

namespace cufuse {

inline constexpr Named<Geometry> GeometryNames[] = {
    {Geometry::Warps, "warps"}, {Geometry::Blocks, "blocks"}, {Geometry::Threads, "threads"}};
inline constexpr Named<GridPolicy> GridPolicyNames[] = {
    {GridPolicy::Match, "match"}, {GridPolicy::Stride, "stride"}, {GridPolicy::Pool, "pool"}};
inline constexpr Named<RegisterPolicy> RegisterPolicyNames[] = {{RegisterPolicy::None, "none"},
                                                                {RegisterPolicy::Free, "free"},
                                                                {RegisterPolicy::Bound, "bound"},
                                                                {RegisterPolicy::Count, "count"},
                                                                {RegisterPolicy::Split, "split"}};

constexpr llvm::ArrayRef<Named<Geometry>> namesOf(Geometry) { return GeometryNames; }
constexpr llvm::ArrayRef<Named<GridPolicy>> namesOf(GridPolicy) { return GridPolicyNames; }
constexpr llvm::ArrayRef<Named<RegisterPolicy>> namesOf(RegisterPolicy) { return RegisterPolicyNames; }

} // namespace cufuse
