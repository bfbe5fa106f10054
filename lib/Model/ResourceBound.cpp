#include "cufuse/Model/ResourceBound.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>

namespace cufuse {

namespace {
struct Utilisation {
  const char *Resource;
  const char *Metric; // percent of the peak, over the time of the kernel
};
// The first metric that was collected counts.
constexpr Utilisation Percentages[] = {
    {"issue slots", "smsp__issue_active.avg.pct_of_peak_sustained_elapsed"},
    {"issue slots", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"DRAM bandwidth", "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L2 cache", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L2 cache", "lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"L2 fabric", "lts__ltcfabric2ltc_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"L1 cache", "l1tex__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L1 cache", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"},
};

/// Warp instructions per cycle and SM of compute capability 9.0: its results per cycle (CUDA C++ Programming Guide,
/// Throughput of Native Arithmetic Instructions: 32-bit integer addition and logic, 32-bit floating-point addition,
/// 64-bit floating-point addition, reciprocal) over the lanes of a warp.
struct Pipe {
  const char *Resource;
  const char *Metric;
  double PerCycle;
};
constexpr Pipe Pipes[] = {
    {"ALU pipe", "sm__inst_executed_pipe_alu.sum", 64 / 32.0},
    {"FMA pipe", "sm__inst_executed_pipe_fma.sum", 128 / 32.0},
    {"FP64 pipe", "sm__inst_executed_pipe_fp64.sum", 64 / 32.0},
    {"XU pipe", "sm__inst_executed_pipe_xu.sum", 16 / 32.0},
};
} // namespace

double counterOf(const std::map<std::string, double> &Counters, const char *Metric) {
  const auto Found = Counters.find(Metric);
  return Found == Counters.end() ? -1 : Found->second;
}

std::map<std::string, double> demandsOf(const SoloShape &Shape, const GpuFacts &Gpu) {
  std::map<std::string, double> Demands;
  auto Find = [&](const char *Metric) { return counterOf(Shape.Counters, Metric); };
  const double Read = Find("dram__bytes_read.sum"), Written = Find("dram__bytes_write.sum");
  if (Gpu.DramBytesPerMicrosecond > 0 && Read >= 0 && Written >= 0)
    Demands["DRAM bandwidth"] = (Read + Written) / Gpu.DramBytesPerMicrosecond;
  for (const Utilisation &Known : Percentages)
    if (const double Percent = Find(Known.Metric); Percent >= 0)
      Demands.emplace(Known.Resource, Percent / 100 * Shape.Microseconds);
  if (const double Cycles = Find("sm__cycles_elapsed.max");
      Cycles > 0 && llvm::StringRef(Gpu.Arch).starts_with("sm_90"))
    for (const Pipe &Known : Pipes)
      if (const double Instructions = Find(Known.Metric); Instructions >= 0)
        Demands.emplace(Known.Resource,
                        Instructions / (Known.PerCycle * Gpu.Multiprocessors) / Cycles * Shape.Microseconds);
  return Demands;
}

double ResourceBound::share(double FusedMicroseconds) const {
  const double Possible = SerialMicroseconds - Microseconds;
  // Within a thousandth of the serial time, the quotient is noise.
  const double Share = Possible > SerialMicroseconds * 1e-3 ? (SerialMicroseconds - FusedMicroseconds) / Possible : 0;
  // Resident blocks compute once what every block of the kernel alone computes anew, and may so be below the limit.
  return std::min(Share, 1.0);
}

ResourceBound resourceBound(llvm::ArrayRef<SoloShape> Solo, llvm::ArrayRef<std::string> Names, const GpuFacts &Gpu) {
  ResourceBound Bound;
  for (size_t I = 0; I < Solo.size(); ++I) {
    Bound.SerialMicroseconds += Solo[I].Microseconds;
    if (Solo[I].Microseconds > Bound.Microseconds) {
      Bound.Microseconds = Solo[I].Microseconds;
      Bound.By = Names[I];
    }
    const std::map<std::string, double> Demands = demandsOf(Solo[I], Gpu);
    Bound.Quick |= Demands.empty();
    for (const auto &[Resource, Microseconds] : Demands)
      Bound.Demands[Resource] += Microseconds;
  }
  for (const auto &[Resource, Microseconds] : Bound.Demands)
    if (Microseconds > Bound.Microseconds) {
      Bound.Microseconds = Microseconds;
      Bound.By = Resource;
    }
  return Bound;
}

} // namespace cufuse
