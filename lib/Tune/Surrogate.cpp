#include "Surrogate.h"

#include "RegisterChoices.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cufuse {

namespace {
constexpr double OwnDeviation = 0.005; // of a candidate's own, which no other tells
// Differences of category, on the scale of the numbers.
constexpr double OtherFamily = 1.2, OtherRegisters = 0.4;

double squares(llvm::ArrayRef<double> A, llvm::ArrayRef<double> B) {
  double Sum = 0;
  for (size_t I = 0; I < A.size(); ++I)
    Sum += (A[I] - B[I]) * (A[I] - B[I]);
  return Sum;
}
} // namespace

Features featuresOf(const Problem &P, const FusionConfig &Config, const Prediction &Model) {
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
  for (size_t I = 0; I < Config.Constituents.size(); ++I) {
    const ConstituentConfig &C = Config.Constituents[I];
    const double Threads = static_cast<double>(C.Block.threads() * C.Copies);
    // Its warps on an SM hide its latency.
    const double Blocks = !HasRoles              ? std::max(1u, Model.ResidentBlocks)
                          : C.ResidentBlocks > 0 ? C.ResidentBlocks
                                                 : Room;
    const double Warps = std::log2(Threads * Blocks), Unroll = C.Unroll > 0 ? 0.5 + std::log2(C.Unroll) / 2 : 0;
    F.Constituents.push_back(
        {std::log2(Threads) / 1.5, Warps, HasRoles ? Blocks / Roles / 0.3 : 0, C.RegisterBudget / 48.0, Unroll});
    F.Alone.push_back({std::log2(static_cast<double>(C.Block.threads())) / 1.5, Warps, Unroll,
                       std::log(slownessAlone(P.Constituents[I], C.Block)) / 0.15});
  }
  // What the launch bounds leave to a thread counts, not how many blocks that takes.
  const double Warps = Config.Registers.MinBlocks * fusedThreads(Config) / double(WarpSize);
  // The model may be wrong the more, the more it says.
  F.Whole = {Warps > 0 ? std::log2(Warps) : 0, std::log2(1 + Model.SpillBytes / 8) / 2,
             std::log(std::max(Model.Microseconds, 1e-3)) / 0.3};
  return F;
}

Surrogate::Likeness Surrogate::likeness(const Features &A, const Features &B) {
  Likeness L;
  L.Family = A.Family == B.Family;
  L.Squares = squares(A.Whole, B.Whole) + (L.Family ? 0 : OtherFamily * OtherFamily) +
              (A.Registers == B.Registers ? 0 : OtherRegisters * OtherRegisters);
  for (size_t I = 0; I < A.Constituents.size(); ++I) {
    L.Squares += squares(A.Constituents[I], B.Constituents[I]);
    L.Constituents += std::exp(-squares(A.Alone[I], B.Alone[I]) / 2);
  }
  return L;
}

double Surrogate::covariance(const Likeness &L) const {
  return (L.Family ? Chosen.Family * Chosen.Family : 0) + Chosen.Constituent * Chosen.Constituent * L.Constituents +
         Chosen.Local * Chosen.Local * std::exp(-L.Squares / (2 * Chosen.Reach * Chosen.Reach));
}

double Surrogate::variance(const Features &F) const { return covariance(likeness(F, F)) + OwnDeviation * OwnDeviation; }

Surrogate::Surrogate(std::vector<Sample> Those) : Samples(std::move(Those)) {
  if (Samples.empty())
    return;
  std::vector<Likeness> Pairs;
  for (size_t I = 0; I < Samples.size(); ++I) {
    Mean += Samples[I].Surprise / Samples.size();
    for (size_t J = 0; J <= I; ++J)
      Pairs.push_back(likeness(Samples[I].At, Samples[J].At));
  }
  Scales Best;
  double Likeliest = -std::numeric_limits<double>::infinity();
  for (double Reach : {0.6, 1.0, 1.7, 3.0})
    for (double Family : {0.04, 0.15, 0.4})
      for (double Constituent : {0.05, 0.2})
        for (double Local : {0.05, 0.12, 0.3}) {
          Chosen = {Reach, Family, Constituent, Local};
          if (const double Likelihood = fit(Pairs); Likelihood > Likeliest) {
            Likeliest = Likelihood;
            Best = Chosen;
          }
        }
  Chosen = Best;
  fit(Pairs);
}

double Surrogate::fit(llvm::ArrayRef<Likeness> Pairs) {
  const size_t N = Samples.size();
  double Likelihood = 0;
  Lower.assign(N, {});
  Weights.resize(N);
  size_t Pair = 0;
  for (size_t I = 0; I < N; ++I) {
    Lower[I].resize(I + 1);
    for (size_t J = 0; J <= I; ++J) {
      double Sum = covariance(Pairs[Pair++]);
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

Outlook::Outlook(const Surrogate &Learned, llvm::ArrayRef<Features> At)
    : Learned(Learned), At(At), Surprises(At.size(), Learned.Mean) {
  for (const Features &F : At)
    Variances.push_back(Learned.variance(F));
  for (size_t I = 0; I < Learned.Samples.size(); ++I) {
    std::vector<double> Row;
    for (size_t M = 0; M < At.size(); ++M) {
      Row.push_back(Learned.covariance(Surrogate::likeness(Learned.Samples[I].At, At[M])));
      Surprises[M] += Row[M] * Learned.Weights[I];
    }
    for (size_t K = 0; K < I; ++K)
      for (size_t M = 0; M < At.size(); ++M)
        Row[M] -= Learned.Lower[I][K] * Rows[K][M];
    for (size_t M = 0; M < At.size(); ++M) {
      Row[M] /= Learned.Lower[I][I];
      Variances[M] -= Row[M] * Row[M];
    }
    Rows.push_back(std::move(Row));
  }
}

double Outlook::deviation(size_t I) const { return std::sqrt(std::max(Variances[I], 1e-12)); }

void Outlook::assume(size_t I) {
  std::vector<double> Row;
  for (const Features &F : At)
    Row.push_back(Learned.covariance(Surrogate::likeness(At[I], F)));
  for (const std::vector<double> &Before : Rows)
    for (size_t M = 0; M < At.size(); ++M)
      Row[M] -= Before[I] * Before[M];
  const double Deviation = deviation(I);
  for (size_t M = 0; M < At.size(); ++M) {
    Row[M] /= Deviation;
    Variances[M] -= Row[M] * Row[M];
  }
  Rows.push_back(std::move(Row));
}

} // namespace cufuse
