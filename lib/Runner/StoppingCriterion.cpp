#include "cufuse/Runner/StoppingCriterion.h"

#include <algorithm>
#include <cmath>

namespace cufuse {

Median medianOf(llvm::ArrayRef<double> Samples) {
  std::vector<double> Sorted(Samples.begin(), Samples.end());
  std::sort(Sorted.begin(), Sorted.end());
  const size_t Count = Sorted.size();
  Median Result;
  Result.Value = (Sorted[(Count - 1) / 2] + Sorted[Count / 2]) / 2;
  if (Count == 1 || Result.Value <= 0)
    return Result;
  size_t First = 0, Last = Count - 1;
  if (Count >= 6) {
    // Ranks count from 1.
    const double Half = 0.98 * std::sqrt(static_cast<double>(Count));
    const double Low = std::floor(Count / 2.0 - Half), High = std::ceil(1 + Count / 2.0 + Half);
    First = static_cast<size_t>(std::max(Low, 1.0)) - 1;
    Last = std::min(static_cast<size_t>(High), Count) - 1;
  }
  Result.RelativeNoise = (Sorted[Last] - Sorted[First]) / 2 / Result.Value;
  return Result;
}

bool isEnough(const Stopping &Limits, llvm::ArrayRef<double> Samples, double Seconds) {
  if (Samples.empty())
    return false;
  if (Samples.size() >= Limits.MaxSamples || (Samples.size() >= 3 && Seconds >= Limits.MaxSeconds))
    return true;
  return Samples.size() >= Limits.MinSamples && medianOf(Samples).RelativeNoise <= Limits.RelativeNoise;
}

} // namespace cufuse
