// How the command line, keys of candidates and JSON spell the choices of a fusion.
#pragma once

#include "cufuse/Fusion/FusionConfig.h"
#include "cufuse/Support/Names.h"

namespace cufuse {

inline constexpr Named<Geometry> GeometryNames[] = {
    {Geometry::Warps, "warps"}, {Geometry::Blocks, "blocks"}, {Geometry::Threads, "threads"}};
inline constexpr Named<GridPolicy> GridPolicyNames[] = {
    {GridPolicy::Match, "match"}, {GridPolicy::Stride, "stride"}, {GridPolicy::Pool, "pool"}};
inline constexpr Named<ThreadOrder> ThreadOrderNames[] = {{ThreadOrder::Sequence, "sequence"},
                                                          {ThreadOrder::Alternating, "alternating"},
                                                          {ThreadOrder::Opposite, "opposite"},
                                                          {ThreadOrder::Dependent, "dependent"}};
inline constexpr Named<RegisterPolicy> RegisterPolicyNames[] = {{RegisterPolicy::None, "none"},
                                                                {RegisterPolicy::Free, "free"},
                                                                {RegisterPolicy::Bound, "bound"},
                                                                {RegisterPolicy::Count, "count"},
                                                                {RegisterPolicy::Split, "split"}};

inline llvm::StringRef nameOf(Geometry G) { return nameIn<Geometry>(GeometryNames, G); }
inline llvm::StringRef nameOf(GridPolicy G) { return nameIn<GridPolicy>(GridPolicyNames, G); }
inline llvm::StringRef nameOf(ThreadOrder O) { return nameIn<ThreadOrder>(ThreadOrderNames, O); }
inline llvm::StringRef nameOf(RegisterPolicy R) { return nameIn<RegisterPolicy>(RegisterPolicyNames, R); }

} // namespace cufuse
