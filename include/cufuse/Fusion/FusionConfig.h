// What the user, a build system or the tuner chooses for one fusion. Everything else follows from it and the facts.
#pragma once

#include "cufuse/Support/BlockShape.h"

#include <vector>

namespace cufuse {

/// How a constituent's own grid meets the fused grid.
enum class GridPolicy {
  Match,  ///< One virtual block per partition; the fused grid is as large as the largest constituent needs.
  Stride, ///< Each partition loops over its virtual blocks; the fused grid fills the GPU once.
};

enum class RegisterPolicy {
  None,  ///< `__launch_bounds__(threads)`: ptxas chooses.
  Bound, ///< HFUSE's bound: as many resident blocks as the constituents would allow alone.
  Count, ///< At most this many registers per thread.
};

struct RegisterLimit {
  RegisterPolicy Policy = RegisterPolicy::None;
  unsigned Count = 0;     ///< Registers per thread, for `Count`.
  unsigned MinBlocks = 0; ///< Resident blocks per SM, for `Bound`, once it is computed.
};

struct ConstituentConfig {
  BlockShape Block;
  unsigned Copies = 1; ///< Virtual blocks of this constituent in one fused block.
};

struct FusionConfig {
  std::vector<ConstituentConfig> Constituents;
  GridPolicy Grid = GridPolicy::Match;
  RegisterLimit Registers;
};

} // namespace cufuse
