#include "cufuse/Runner/StoppingCriterion.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <array>
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

Median quotientOf(llvm::ArrayRef<double> A, llvm::ArrayRef<double> B) {
  constexpr size_t Parts = 4;
  std::vector<double> Quotients;
  for (const auto &[Over, Under] : llvm::zip_equal(A, B))
    Quotients.push_back(Over / Under);
  Median Result = medianOf(Quotients);
  if (Quotients.size() < 2 * Parts)
    return Result;
  std::array<double, Parts> Medians;
  for (size_t I = 0; I < Parts; ++I) {
    const size_t First = I * Quotients.size() / Parts, End = (I + 1) * Quotients.size() / Parts;
    Medians[I] = medianOf(llvm::ArrayRef(Quotients).slice(First, End - First)).Value;
  }
  const auto [Least, Most] = std::minmax_element(Medians.begin(), Medians.end());
  Result.RelativeNoise = std::max(Result.RelativeNoise, (*Most - *Least) / 2 / Result.Value);
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
