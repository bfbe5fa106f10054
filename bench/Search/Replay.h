// Searches in sweeps that were recorded on a GPU: what is known of every candidate answers in the place of the GPU.
#pragma once

#include "RecordedSweep.h"
#include "cufuse/Search/Search.h"

#include <optional>
#include <string>
#include <vector>

namespace cufuse {

/// The names of the sweeps in Sweeps/, and the text of one.
std::vector<std::string> sweepNames();
std::string sweepText(const std::string &Name);

struct ReplayOptions {
  std::string Strategy = "auto";
  Budget Limit = {};
  std::optional<std::uint64_t> Noise = {}; ///< The seed by which times vary; none: they are those recorded.
  std::optional<Geometry> Refused = {};    ///< The fuser refuses candidates of this geometry.
  std::uint64_t Seed = 0;                  ///< Of the random strategy.
};

struct Found {
  Candidate Best;
  double Microseconds = 0; ///< As recorded, a full measurement before a short one.
  size_t Measured = 0;
  unsigned Waits = 0;             ///< How often compilers had to wait for all results before they got more.
  std::vector<std::string> Tried; ///< Keys of what was to be measured, in order.
};

/// The strategy chooses from what was recorded: the sweep may be of another day's space. None: nothing was found.
std::optional<Found> replay(const RecordedSweep &Recorded, const ReplayOptions &Options);

} // namespace cufuse
