// What the user, a build system or the tuner chooses for one fusion. Everything else follows from it and the facts.
#pragma once

#include "cufuse/Support/BlockShape.h"

#include <string>
#include <utility>
#include <vector>

namespace cufuse {

/// Of copies, resident blocks and turns: more than anything is counted for, and few enough to be multiplied.
constexpr unsigned MaxCount = 1024;

/// Where the constituents' blocks lie.
enum class Geometry {
  Warps,   ///< Side by side: each has threads of its own in every fused block.
  Blocks,  ///< A fused block plays blocks of one constituent at a time.
  Threads, ///< The same threads play a block of each, one after the other; under `Match`, or else `Cooperative`.
};

/// How a constituent's own grid meets the fused grid.
enum class GridPolicy {
  /// One virtual block per partition. `Warps`, `Threads`: the fused grid is as large as the largest constituent needs.
  /// `Blocks`: one fused block for each virtual block, interleaved in proportion, every SM getting both.
  Match,
  /// Resident blocks only; each partition loops over its virtual blocks. `Blocks`: fixed roles, so many per SM.
  Stride,
  /// Resident blocks only; each partition takes its next virtual block from a counter of its constituent. `Blocks`: a
  /// ticket of the SM gives a block its role.
  Pool,
};

enum class RegisterPolicy {
  None,  ///< ptxas chooses: `__launch_bounds__(threads)` where the constituents or the block size ask for it.
  Free,  ///< `__launch_bounds__(threads, 1)`: as many as ptxas likes for one resident block.
  Bound, ///< HFUSE's bound: as many resident blocks as the constituents would allow alone.
  Count, ///< At most this many registers per thread.
  Split, ///< A budget for each constituent by setmaxnreg (`Warps` only; sm_90a and later).
};

struct RegisterLimit {
  RegisterPolicy Policy = RegisterPolicy::None;
  unsigned Count = 0;     ///< Registers per thread, for `Count`.
  unsigned MinBlocks = 0; ///< Resident blocks per SM, for `Bound`, once it is computed.

  friend bool operator==(const RegisterLimit &, const RegisterLimit &) = default;
};

struct ConstituentConfig {
  BlockShape Block;
  unsigned Copies = 1; ///< Virtual blocks of this constituent in one fused block.
  /// Times that a fused block plays so many, for `Threads` under `Match`: a constituent of a larger grid
  /// lasts as long as one of a smaller.
  unsigned Turns = 1;
  /// Of this role per SM, for `Blocks` under `Stride`. 0, for one constituent at most: it loops over nothing, but has a
  /// fused block for each of its own, which follow those of the others and take the room that they leave.
  unsigned ResidentBlocks = 1;
  unsigned RegisterBudget = 0; ///< Registers per thread of its partitions, for `Split`: 24, 32 … 256.
  unsigned Unroll = 0;         ///< Of its outer grid-stride loop; 0 leaves the loop to the compiler.
  /// Scalar arguments fixed at compile time: the parameter's name and the value as C++ spells it. The launcher falls
  /// back to the kernel without them when an argument differs.
  std::vector<std::pair<std::string, std::string>> Bound = {};
  std::string GuessedFrom = {}; ///< What the block is taken from where nobody said it: a launch has to say it again.
};

/// A launch that begins while the one before it in the stream still runs, by programmatic dependent launch.
struct LaunchOverlap {
  bool Waits = false;    ///< For the end of the one before, before all else.
  bool Triggers = false; ///< Lets the next one begin, as soon as all blocks have begun.
};

struct FusionConfig {
  std::vector<ConstituentConfig> Constituents;
  Geometry Shape = Geometry::Warps;
  GridPolicy Grid = GridPolicy::Match;
  /// For `Threads`, and then under `Stride`: the whole grid waits before each constituent but the first.
  bool Cooperative = false;
  bool LastBlock = false;  ///< The same without waiting: the last block that has played the first plays the others.
  bool FirstBlock = false; ///< The first block that comes plays all but the last, and the others wait for it.
  /// Fused blocks per SM under `Stride` and `Pool`; 0 takes as many as fit.
  unsigned ResidentBlocks = 0;
  RegisterLimit Registers = {};
  LaunchOverlap Overlap = {}; ///< For a kernel that is alone.
};

} // namespace cufuse
