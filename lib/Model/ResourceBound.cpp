#include "cufuse/Model/ResourceBound.h"

#include "cufuse/Gpu/Metrics.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>

namespace cufuse {

double counterOf(const std::map<std::string, double> &Counters, const char *Metric) {
  const auto Found = Counters.find(Metric);
  return Found == Counters.end() ? -1 : Found->second;
}

std::map<std::string, double> demandsOf(const SoloShape &Shape, const GpuFacts &Gpu) {
  std::map<std::string, double> Demands;
  auto Find = [&](const char *Metric) { return counterOf(Shape.Counters, Metric); };
  const double Read = Find(metric::DramRead), Written = Find(metric::DramWritten), Cycles = Find(metric::Cycles);
  if (Gpu.DramBytesPerMicrosecond > 0 && Read >= 0 && Written >= 0)
    Demands["DRAM bandwidth"] = (Read + Written) / Gpu.DramBytesPerMicrosecond;
  const bool HasPipes = Cycles > 0 && llvm::StringRef(Gpu.Arch).starts_with("sm_90");
  for (const Metric &Each : metric::all())
    if (const double Value = Each.Resource ? Find(Each.Name) : -1; Value >= 0 && (Each.PerCycle == 0 || HasPipes))
      Demands[Each.Resource] =
          (Each.PerCycle == 0 ? Value / 100 : Value / (Each.PerCycle * Gpu.Multiprocessors) / Cycles) *
          Shape.Microseconds;
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
