// What measured candidates say of those not measured: a Gaussian process over the logarithm of the time, around the
// model's prediction (Rasmussen, Williams, Gaussian Processes for Machine Learning, 2006, chapter 2). What the model
// may be wrong about is a sum: what all candidates have in common, what a family has, what a constituent does in one
// shape wherever it is, and what only like candidates share (Duvenaud, Nickisch, Rasmussen, Additive Gaussian
// Processes, 2011).
#pragma once

#include "cufuse/Model/Predict.h"

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

/// Of a list of candidates, by position.
class Surrogate {
public:
  /// Before anything is measured.
  explicit Surrogate(std::vector<Features> Candidates);

  /// Surprise: log(measured / predicted); noise: relative, of the measurement.
  void learn(size_t I, double Surprise, double Noise);
  /// As if it had been measured and had taken what is expected of it: of those like it less remains to be learnt
  /// (Desautels, Krause, Burdick, Parallelizing Exploration-Exploitation Tradeoffs, 2014).
  void assume(size_t I) { learn(I, Surprises[I], 0); }

  double surprise(size_t I) const { return Surprises[I]; } ///< Mean of log(time / predicted).
  double deviation(size_t I) const;                        ///< Standard deviation of it.

private:
  std::vector<Features> Candidates;
  std::vector<double> Surprises, Variances;
  /// Of each that was learnt, its covariance with every candidate over its deviation, all given those before it: the
  /// rows of a Cholesky factor.
  std::vector<std::vector<double>> Rows;
};

} // namespace cufuse
