// What measured candidates say of those not measured: a Gaussian process over the logarithm of the time, around the
// model's prediction (Rasmussen, Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1).
#pragma once

#include "cufuse/Model/Predict.h"

#include <llvm/ADT/ArrayRef.h>

#include <vector>

namespace cufuse {

/// What the process sees of a candidate.
struct Features {
  int Family = 0;              ///< Geometry, grid policy and order.
  int Registers = 0;           ///< The policy.
  std::vector<double> Numbers; ///< Each scaled so that a difference of 1 matters.
};
Features featuresOf(const FusionConfig &Config, const Prediction &Model);

class Surrogate {
public:
  struct Sample {
    Features At;
    double Surprise; ///< log(measured / predicted)
    double Noise;    ///< Relative, of the measurement.
  };
  /// Chooses how far likeness reaches and how much it says by the likelihood of the samples (chapter 5).
  explicit Surrogate(std::vector<Sample> Samples);

  struct Guess {
    double Surprise, Deviation; ///< Mean and standard deviation of log(time / predicted).
  };
  Guess at(const Features &F) const;

private:
  struct Scales {
    double Reach = 1;                  ///< Differences are divided by it.
    double Family = 0.2, Local = 0.15; ///< Standard deviations of log(time / predicted): of what a family has in
                                       ///< common, of what like candidates have.
  };
  double covariance(const Features &A, const Features &B) const;
  /// With `Chosen`; answers the logarithm of the samples' likelihood, up to a constant.
  double fit();

  std::vector<Sample> Samples;
  Scales Chosen;
  double Mean = 0;
  std::vector<std::vector<double>> Lower; ///< Cholesky factor of the covariance.
  std::vector<double> Weights;            ///< Covariance⁻¹ · (surprises − mean)
};

/// How alike two candidates are, 0…1.
double likeness(const Features &A, const Features &B, double Reach = 1);

} // namespace cufuse
