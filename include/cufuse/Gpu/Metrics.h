// Hardware counters: what the CUPTI Range Profiler calls them on GH100, and what they say.
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <string>
#include <vector>

namespace cufuse {

struct Metric {
  const char *Name;
  unsigned Pass = 0;           ///< Of the kernel, another run each: the first says where the time goes, the second why.
  bool IsDemand = false;       ///< On what the SMs share, for the limit that resources set.
  const char *Label = nullptr; ///< In reports; null: its name.
  const char *Resource = nullptr; ///< Which it is a demand on: in per cent of the peak,
  double PerCycle = 0;            ///< or in warp instructions, of which an SM executes so many in a cycle.
};

namespace metric {

constexpr const char *Cycles = "sm__cycles_elapsed.max";
/// Achieved, per cent of the warps that an SM can hold.
constexpr const char *Occupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";
/// Per cent of the cycles of a scheduler in which it issued.
constexpr const char *Issue = "smsp__issue_active.avg.pct_of_peak_sustained_active";
constexpr const char *DramRead = "dram__bytes_read.sum", *DramWritten = "dram__bytes_write.sum";

llvm::ArrayRef<Metric> all();

/// One pass: where the time goes.
std::vector<std::string> onePass();
/// Two passes: why.
std::vector<std::string> twoPasses();
/// Demands on what the SMs share: DRAM bytes, the caches, issue slots, each pipe.
std::vector<std::string> demands();

} // namespace metric

} // namespace cufuse
