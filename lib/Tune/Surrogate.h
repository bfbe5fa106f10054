// What measured candidates say of those not measured: a Gaussian process over the logarithm of the time, around the
// model's prediction (Rasmussen, Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1). What it may
// be wrong about is a sum: what a family has in common, what a constituent does in one shape wherever it is, and what
// only like candidates share (Duvenaud, Nickisch, Rasmussen, Additive Gaussian Processes, 2011).
#pragma once

#include "cufuse/Model/Predict.h"

#include <llvm/ADT/ArrayRef.h>

#include <vector>

namespace cufuse {

/// What the process sees of a candidate. Numbers are scaled so that a difference of 1 matters.
struct Features {
  int Family = 0;                                ///< Geometry, grid policy and order.
  int Registers = 0;                             ///< The policy.
  std::vector<std::vector<double>> Constituents; ///< Numbers of each, as it is within the candidate.
  std::vector<std::vector<double>> Alone;        ///< Those of each that mean the same in every family.
  std::vector<double> Whole;                     ///< Numbers of the candidate.
};
Features featuresOf(const Problem &P, const FusionConfig &Config, const Prediction &Model);

class Surrogate {
public:
  struct Sample {
    Features At;
    double Surprise; ///< log(measured / predicted)
    double Noise;    ///< Relative, of the measurement.
  };
  /// Chooses how far likeness reaches and how much it says by the likelihood of the samples (chapter 5). Without
  /// samples, it knows what the model is wrong by.
  explicit Surrogate(std::vector<Sample> Samples);

private:
  friend class Outlook;
  /// Standard deviations of log(time / predicted), and a distance.
  struct Scales {
    double Reach = 1; ///< Differences are divided by it.
    double Family = 0.15, Constituent = 0.2, Local = 0.3;
  };
  /// How alike two candidates are in each respect.
  struct Likeness {
    bool Family = false;
    double Constituents = 0; ///< Sum of 0…1 for each.
    double Squares = 0;      ///< Of all differences.
  };
  static Likeness likeness(const Features &A, const Features &B);
  double covariance(const Likeness &L) const;
  double variance(const Features &F) const;
  /// With `Chosen`; answers the logarithm of the samples' likelihood, up to a constant.
  double fit(llvm::ArrayRef<Likeness> Pairs);

  std::vector<Sample> Samples;
  Scales Chosen;
  double Mean = 0;
  std::vector<std::vector<double>> Lower; ///< Cholesky factor of the covariance.
  std::vector<double> Weights;            ///< Covariance⁻¹ · (surprises − mean)
};

/// What the process expects of a list of candidates.
class Outlook {
public:
  /// Both outlive it.
  Outlook(const Surrogate &Learned, llvm::ArrayRef<Features> At);

  double surprise(size_t I) const { return Surprises[I]; } ///< Mean of log(time / predicted).
  double deviation(size_t I) const;                        ///< Standard deviation of it.

  /// As if this one had been measured and had taken what is expected of it: of those like it less remains to be learnt
  /// (Desautels, Krause, Burdick, Parallelizing Exploration-Exploitation Tradeoffs, 2014).
  void assume(size_t I);

private:
  const Surrogate &Learned;
  llvm::ArrayRef<Features> At;
  std::vector<double> Surprises, Variances;
  std::vector<std::vector<double>> Rows; ///< Lower⁻¹ · covariance of samples and candidates, one row for each sample.
};

} // namespace cufuse
