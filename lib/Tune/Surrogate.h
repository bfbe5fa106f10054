// What measured candidates say of those not measured: a Gaussian process over the logarithm of the time, around the
// model's prediction (Rasmussen, Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1).
#pragma once

#include "cufuse/Fusion/FusionConfig.h"

#include <llvm/ADT/ArrayRef.h>

#include <vector>

namespace cufuse {

/// What the process sees of a candidate.
struct Features {
  int Family = 0;              ///< Geometry, grid policy and order.
  int Registers = 0;           ///< The policy.
  std::vector<double> Numbers; ///< Each scaled so that a difference of 1 matters.
};
Features featuresOf(const FusionConfig &Config);

class Surrogate {
public:
  struct Sample {
    Features At;
    double Surprise; ///< log(measured / predicted)
    double Noise;    ///< Relative, of the measurement.
  };
  explicit Surrogate(std::vector<Sample> Samples);

  struct Guess {
    double Surprise, Deviation; ///< Mean and standard deviation of log(time / predicted).
  };
  Guess at(const Features &F) const;

private:
  std::vector<Sample> Samples;
  double Mean = 0;
  std::vector<std::vector<double>> Lower; ///< Cholesky factor of the covariance.
  std::vector<double> Weights;            ///< Covariance⁻¹ · (surprises − mean)
};

/// How alike two candidates are, 0…1.
double likeness(const Features &A, const Features &B);

} // namespace cufuse
