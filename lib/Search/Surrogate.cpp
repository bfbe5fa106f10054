#include "Surrogate.h"

#include "RegisterChoices.h"

#include <algorithm>
#include <cmath>

namespace cufuse {

namespace {
// Standard deviations of log(time / predicted): of what all have in common, of what a family has, of a constituent's in
// its shape, of what like candidates have, and of a candidate's own, which no other tells.
constexpr double CommonDeviation = 0.15, FamilyDeviation = 0.15, ConstituentDeviation = 0.2, LocalDeviation = 0.3,
                 OwnDeviation = 0.005;
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
  F.Family = static_cast<int>(Config.Shape) * 16 + static_cast<int>(Config.Grid) * 4;
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
    F.Constituents.push_back({std::log2(Threads) / 1.5, Warps, HasRoles ? Blocks / Roles / 0.3 : 0,
                              C.RegisterBudget / 48.0, Unroll, std::log2(C.Turns) / 2});
    // To loop over its blocks is hard for some.
    F.Alone.push_back({std::log2(static_cast<double>(C.Block.threads())) / 1.5, Warps, Unroll,
                       std::log(slownessAlone(P.Constituents[I], C.Block)) / 0.15,
                       Config.Grid == GridPolicy::Match ? 0 : 1.5});
  }
  // What the launch bounds leave to a thread counts, not how many blocks that takes.
  const double Warps = Config.Registers.MinBlocks * fusedThreads(Config) / double(WarpSize);
  // The model may be wrong the more, the more it says.
  F.Whole = {Warps > 0 ? std::log2(Warps) : 0, std::log2(1 + Model.SpillBytes / 8) / 2,
             std::log(std::max(Model.Microseconds, 1e-3)) / 0.3};
  return F;
}

/// Of log(time / predicted), before anything is measured.
static double covariance(const Features &A, const Features &B) {
  double Sum = CommonDeviation * CommonDeviation;
  double Squares = squares(A.Whole, B.Whole) + (A.Registers == B.Registers ? 0 : OtherRegisters * OtherRegisters);
  if (A.Family == B.Family)
    Sum += FamilyDeviation * FamilyDeviation;
  else
    Squares += OtherFamily * OtherFamily;
  for (size_t I = 0; I < A.Constituents.size(); ++I) {
    Squares += squares(A.Constituents[I], B.Constituents[I]);
    Sum += ConstituentDeviation * ConstituentDeviation * std::exp(-squares(A.Alone[I], B.Alone[I]) / 2);
  }
  return Sum + LocalDeviation * LocalDeviation * std::exp(-Squares / 2);
}

Surrogate::Surrogate(std::vector<Features> Those) : Candidates(std::move(Those)), Surprises(Candidates.size()) {
  for (const Features &F : Candidates)
    Variances.push_back(covariance(F, F) + OwnDeviation * OwnDeviation);
}

double Surrogate::deviation(size_t I) const { return std::sqrt(std::max(Variances[I], 1e-12)); }

void Surrogate::learn(size_t I, double Surprise, double Noise) {
  std::vector<double> Row;
  for (const Features &F : Candidates)
    Row.push_back(covariance(Candidates[I], F));
  for (const std::vector<double> &Before : Rows)
    for (size_t M = 0; M < Row.size(); ++M)
      Row[M] -= Before[I] * Before[M];
  const double Deviation = std::hypot(deviation(I), Noise), Off = (Surprise - Surprises[I]) / Deviation;
  for (size_t M = 0; M < Row.size(); ++M) {
    Row[M] /= Deviation;
    Surprises[M] += Row[M] * Off;
    Variances[M] -= Row[M] * Row[M];
  }
  Rows.push_back(std::move(Row));
}

} // namespace cufuse
