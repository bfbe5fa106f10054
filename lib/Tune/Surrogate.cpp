#include "Surrogate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cufuse {

namespace {
constexpr double OwnDeviation = 0.005; // of a candidate's own, which no other tells
// Differences of category, on the scale of the numbers.
constexpr double OtherFamily = 1.2, OtherRegisters = 0.4;
} // namespace

Features featuresOf(const FusionConfig &Config, const Prediction &Model) {
  Features F;
  F.Family = static_cast<int>(Config.Shape) * 16 + static_cast<int>(Config.Grid) * 4 +
             (Config.Shape == Geometry::Threads ? static_cast<int>(Config.Order) : 0);
  F.Registers = static_cast<int>(Config.Registers.Policy);
  const bool HasRoles = Config.Shape == Geometry::Blocks && Config.Grid == GridPolicy::Stride;
  double Resident = 0;
  bool Follows = false;
  for (const ConstituentConfig &C : Config.Constituents) {
    Resident += C.ResidentBlocks;
    Follows |= HasRoles && C.ResidentBlocks == 0;
  }
  // One at least of those with budgets is tried: what they are worth, other candidates do not show.
  F.Family += Follows || Config.Registers.Policy == RegisterPolicy::Split;
  // What follows the resident blocks has the room that they leave, if only behind them.
  const double Room = std::max(0.5, Model.ResidentBlocks - Resident), Roles = Follows ? Resident + Room : Resident;
  for (const ConstituentConfig &C : Config.Constituents) {
    const double Threads = static_cast<double>(C.Block.threads() * C.Copies);
    F.Numbers.push_back(std::log2(Threads) / 1.5);
    // Its warps on an SM hide its latency.
    const double Blocks = !HasRoles              ? std::max(1u, Model.ResidentBlocks)
                          : C.ResidentBlocks > 0 ? C.ResidentBlocks
                                                 : Room;
    F.Numbers.push_back(std::log2(Threads * Blocks));
    F.Numbers.push_back(HasRoles ? Blocks / Roles / 0.3 : 0);
    F.Numbers.push_back(C.RegisterBudget / 48.0);
    F.Numbers.push_back(C.Unroll > 0 ? 0.5 + std::log2(C.Unroll) / 2 : 0);
  }
  // What the launch bounds leave to a thread counts, not how many blocks that takes.
  const double Warps = Config.Registers.MinBlocks * fusedThreads(Config) / double(WarpSize);
  F.Numbers.push_back(Warps > 0 ? std::log2(Warps) : 0);
  F.Numbers.push_back(std::log2(1 + Model.SpillBytes / 8) / 2);
  // The model may be wrong the more, the more it says.
  F.Numbers.push_back(std::log(std::max(Model.Microseconds, 1e-3)) / 0.3);
  return F;
}

double likeness(const Features &A, const Features &B, double Reach) {
  double Squares = 0;
  for (size_t I = 0; I < A.Numbers.size(); ++I)
    Squares += (A.Numbers[I] - B.Numbers[I]) * (A.Numbers[I] - B.Numbers[I]);
  if (A.Family != B.Family)
    Squares += OtherFamily * OtherFamily;
  if (A.Registers != B.Registers)
    Squares += OtherRegisters * OtherRegisters;
  return std::exp(-Squares / (2 * Reach * Reach));
}

double Surrogate::covariance(const Features &A, const Features &B) const {
  return (A.Family == B.Family ? Chosen.Family * Chosen.Family : 0) +
         Chosen.Local * Chosen.Local * likeness(A, B, Chosen.Reach);
}

Surrogate::Surrogate(std::vector<Sample> Those) : Samples(std::move(Those)) {
  for (const Sample &S : Samples)
    Mean += S.Surprise / Samples.size();
  Scales Best;
  double Likeliest = -std::numeric_limits<double>::infinity();
  for (double Reach : {0.6, 1.0, 1.7, 3.0})
    for (double Family : {0.04, 0.15})
      for (double Local : {0.05, 0.12, 0.3}) {
        Chosen = {Reach, Family, Local};
        if (const double Likelihood = fit(); Likelihood > Likeliest) {
          Likeliest = Likelihood;
          Best = Chosen;
        }
      }
  Chosen = Best;
  fit();
}

double Surrogate::fit() {
  const size_t N = Samples.size();
  double Likelihood = 0;
  Lower.assign(N, {});
  Weights.resize(N);
  for (size_t I = 0; I < N; ++I) {
    Lower[I].resize(I + 1);
    for (size_t J = 0; J <= I; ++J) {
      double Sum = covariance(Samples[I].At, Samples[J].At);
      if (I == J)
        Sum += OwnDeviation * OwnDeviation + Samples[I].Noise * Samples[I].Noise;
      for (size_t K = 0; K < J; ++K)
        Sum -= Lower[I][K] * Lower[J][K];
      Lower[I][J] = I == J ? std::sqrt(std::max(Sum, 1e-12)) : Sum / Lower[J][J];
    }
  }
  for (size_t I = 0; I < N; ++I) {
    double Sum = Samples[I].Surprise - Mean;
    for (size_t K = 0; K < I; ++K)
      Sum -= Lower[I][K] * Weights[K];
    Weights[I] = Sum / Lower[I][I];
    Likelihood -= Weights[I] * Weights[I] / 2 + std::log(Lower[I][I]);
  }
  for (size_t I = N; I-- > 0;) {
    double Sum = Weights[I];
    for (size_t K = I + 1; K < N; ++K)
      Sum -= Lower[K][I] * Weights[K];
    Weights[I] = Sum / Lower[I][I];
  }
  return Likelihood;
}

Surrogate::Guess Surrogate::at(const Features &F) const {
  Guess Result{Mean, 0};
  double Variance = covariance(F, F) + OwnDeviation * OwnDeviation;
  std::vector<double> V(Samples.size());
  for (size_t I = 0; I < Samples.size(); ++I) {
    const double C = covariance(F, Samples[I].At);
    Result.Surprise += C * Weights[I];
    double Sum = C;
    for (size_t K = 0; K < I; ++K)
      Sum -= Lower[I][K] * V[K];
    V[I] = Sum / Lower[I][I];
    Variance -= V[I] * V[I];
  }
  Result.Deviation = std::sqrt(std::max(Variance, 1e-12));
  return Result;
}

} // namespace cufuse
