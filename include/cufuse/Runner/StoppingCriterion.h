// When a measurement is good enough.
#pragma once

#include "cufuse/Runner/RunnerJob.h"

#include <llvm/ADT/ArrayRef.h>

namespace cufuse {

struct Median {
  double Value = 0;
  /// Half-width of the 95 % confidence interval over the median, from order statistics: of n sorted samples the
  /// interval runs from number n/2 − 0.98·√n to number 1 + n/2 + 0.98·√n (Conover, Practical Nonparametric
  /// Statistics, 3.2; no assumption about the distribution). With fewer than six there is no such interval, and half
  /// the range stands in its place; with one, 1.
  double RelativeNoise = 1;
};

/// Of at least one sample; all positive.
Median medianOf(llvm::ArrayRef<double> Samples);

/// The median of A / B, round by round, of as many samples each, at least one: what slows down a whole round changes no
/// quotient. Its noise is that of the quotients, or, if that is greater, half of how far their medians in four
/// consecutive parts lie apart: samples that follow each other are more alike than those of another time.
Median quotientOf(llvm::ArrayRef<double> A, llvm::ArrayRef<double> B);

/// At the minimum of samples or more: their noise is below the limit, or the maximum of samples or of seconds (spent on
/// this schedule) is reached. `MaxSeconds` ends it before the minimum only once there are three.
bool isEnough(const Stopping &Limits, llvm::ArrayRef<double> Samples, double Seconds);

} // namespace cufuse
