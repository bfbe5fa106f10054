// Hardware counters of single launches, by the CUPTI Range Profiler (CUDA 12.6 and later). CUPTI is loaded when it is
// first needed; without it there are no counters and everything else goes on.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct CUctx_st; // CUcontext

namespace cufuse {

/// What a set of metrics costs and how the hardware is set up for them.
struct MetricPlan {
  std::vector<std::uint8_t> ConfigImage;
  size_t Passes = 0;
};

/// For a chip by CUPTI's name (`GH100`). Needs no GPU. Fails with ExitCode::MissingTool when CUPTI or libnvperf_host
/// cannot be loaded, with ExitCode::BadInput when the chip has no such metric.
llvm::Expected<MetricPlan> planMetrics(const std::string &Chip, llvm::ArrayRef<std::string> Metrics);

/// Profiles in one context. Times taken while it exists and does not measure are not disturbed.
class CuptiRangeProfiler {
public:
  /// Of the current context on this device. Fails with ExitCode::MissingTool when CUPTI is not there, or the driver
  /// does not permit counters to this user.
  static llvm::Expected<std::unique_ptr<CuptiRangeProfiler>> make(CUctx_st *CudaContext, unsigned Device,
                                                                  std::vector<std::string> Metrics);
  virtual ~CuptiRangeProfiler() = default;

  /// Counts of the one kernel that `Launch` launches, by metric. The kernel is replayed for each pass and its effects
  /// on memory happen once (auto range, kernel replay).
  virtual llvm::Expected<std::map<std::string, double>> measure(llvm::function_ref<llvm::Error()> Launch) = 0;
};

} // namespace cufuse
