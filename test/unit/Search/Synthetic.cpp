#include "Synthetic.h"

#include "cufuse/Gpu/Occupancy.h"
#include "cufuse/Model/Predict.h"

#include <fmt/core.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace cufuse {

namespace {
double unit(std::mt19937 &Random) { return Random() / 4294967296.0; }
double between(std::mt19937 &Random, double Low, double High) { return Low + (High - Low) * unit(Random); }

} // namespace

std::vector<BlockShape> anyBlock() {
  std::vector<BlockShape> Allowed{{256}};
  for (unsigned Threads = WarpSize; Threads <= MaxBlockThreads; Threads += WarpSize)
    if (Threads != 256)
      Allowed.push_back({Threads});
  return blockChoices(std::move(Allowed));
}

Problem syntheticProblem(unsigned Seed) {
  std::mt19937 Random(Seed * 7919 + 1);
  Problem P;
  P.Workload = fmt::format("synthetic {}", Seed);
  P.Gpu = {"NVIDIA H200", "sm_90a", "580.95", 132, 4.8e6};
  const bool Fixed = Seed % 4 == 3; // as the hash kernels are
  for (unsigned I = 0; I < 2; ++I) {
    ConstituentProblem C;
    C.Name = I == 0 ? "first" : "second";
    const double Time = between(Random, 700, 1600), Issue = between(Random, 15, 85), Dram = between(Random, 5, 90);
    ResourceUse Use;
    Use.Registers = 16 + 8 * (Random() % (Fixed ? 14 : 6));
    Use.SharedBytes = Random() % 3 ? 0 : 4096 << (Random() % 3);
    Use.Barriers = Use.SharedBytes > 0;
    const unsigned Given = Fixed ? 64u << (Random() % 3) : 256;
    const double Favourite = 6 + unit(Random) * 3; // log2 of the best block
    for (const BlockShape &Block : Fixed ? std::vector<BlockShape>{{Given}} : anyBlock()) {
      SoloShape S;
      S.Block = Block;
      S.Blocks = (4u << 20) / Block.threads();
      S.Resources = Use;
      const double Off = std::log2(static_cast<double>(Block.threads())) - Favourite;
      S.Microseconds = Time * (1 + 0.02 * Off * Off);
      S.RelativeNoise = 0.003;
      S.Counters = {{"smsp__issue_active.avg.pct_of_peak_sustained_active", Issue},
                    {"dram__bytes_read.sum", Dram / 100 * Time * P.Gpu.DramBytesPerMicrosecond},
                    {"dram__bytes_write.sum", 0}};
      C.Shapes.push_back(std::move(S));
    }
    P.Constituents.push_back(std::move(C));
  }
  return P;
}

double SyntheticEvaluator::random(const std::string &Key, const char *What) const {
  return (llvm::xxh3_64bits(fmt::format("{} {} {}", Seed, What, Key)) >> 11) / 9007199254740992.0;
}

double SyntheticEvaluator::normal(const std::string &Key, const char *What) const {
  const std::string Other = std::string(What) + "'";
  return std::sqrt(-2 * std::log(1 - random(Key, What))) * std::cos(2 * std::numbers::pi * random(Key, Other.c_str()));
}

Evaluation SyntheticEvaluator::screened(const Candidate &C) const {
  Evaluation E;
  const std::string Key = C.key();
  double Threshold = 0;
  const double Draw = random(Key, "fault");
  for (const auto &[Outcome, Share] : Faults)
    if (Draw < (Threshold += Share)) {
      E.Outcome = Outcome;
      E.Why = fmt::format("injected fault {}", static_cast<int>(Outcome));
      if (Outcome <= Fate::CompileFailed)
        return E;
      break;
    }
  const FusionConfig &Config = C.Config;
  const SmLimits Sm = smLimits(P.Gpu.Arch);
  const unsigned Threads = fusedThreads(Config);
  unsigned Wanted = 0, Allowed = registersForResidency(Sm, Threads, 1);
  ResourceUse Use;
  for (size_t I = 0; I < P.Constituents.size(); ++I) {
    const ResourceUse &Solo = *P.Constituents[I].Shapes.front().Resources;
    Wanted = std::max(Wanted, Solo.Registers);
    Use.SharedBytes += Solo.SharedBytes * Config.Constituents[I].Copies;
    Use.Barriers += Solo.Barriers * Config.Constituents[I].Copies;
  }
  // A fused body wants a few registers more than the greater one alone, which depends on how the bodies are joined.
  Wanted += static_cast<unsigned>(
      random(fmt::format("{} {}", static_cast<int>(Config.Shape), static_cast<int>(Config.Grid)), "registers") * 7);
  if (Config.Registers.Policy == RegisterPolicy::Split) {
    Use.Registers = Config.Registers.Count;
    for (size_t I = 0; I < P.Constituents.size(); ++I)
      if (Config.Constituents[I].RegisterBudget + 4 < P.Constituents[I].Shapes.front().Resources->Registers) {
        E.Outcome = Fate::Discarded;
        E.Why = "spills under its register budget";
      }
  } else {
    if (Config.Registers.Policy == RegisterPolicy::Bound)
      Allowed = registersForResidency(Sm, Threads, std::max(1u, Config.Registers.MinBlocks));
    Use.Registers = std::min(Wanted, Allowed);
    Use.SpillStores = Use.SpillLoads = Wanted > Allowed + 4 ? (Wanted - Allowed) * 4 : 0;
  }
  E.Resources = Use;
  E.ResidentBlocks = occupancyOf(Sm, {Threads, Use.Registers, Use.SharedBytes, Use.Barriers}).Blocks;
  if (E.Why.empty())
    E.Outcome = Fate::Measured;
  return E;
}

double SyntheticEvaluator::truth(const Candidate &C) const {
  const FusionConfig &Config = C.Config;
  const Evaluation Compiled = screened(C);
  const double Resident = std::max(1u, Compiled.ResidentBlocks);
  const bool Warps = Config.Shape == Geometry::Warps;
  const bool Roles = Config.Shape == Geometry::Blocks && Config.Grid == GridPolicy::Stride;
  // Latency hiding: each kernel's rate saturates with its warps at a point of its own.
  double Sum = 0, Longest = 0, Dram = 0, Issue = 0, Left = Resident; // that resident roles leave
  for (const ConstituentConfig &Each : Config.Constituents)
    Left -= Each.ResidentBlocks;
  for (size_t I = 0; I < P.Constituents.size(); ++I) {
    const SoloShape &Solo = P.Constituents[I].best();
    const std::string Who = P.Constituents[I].Name;
    const double Half = 8 + 30 * random(Who, "latency");
    auto Rate = [&](double Occupied) { return Occupied / (Occupied + Half) * (64 + Half) / 64; };
    const unsigned Asked = Config.Constituents[I].ResidentBlocks;
    const double Blocks = !Roles ? Resident : Asked > 0 ? std::min<double>(Asked, Resident) : std::max(Left, 0.5);
    const double Own = paddedThreads(Config.Constituents[I]) / 32.0 * Blocks;
    const double Shape = std::log2(static_cast<double>(Config.Constituents[I].Block.threads()));
    const double Off = Shape - (6 + 3 * random(Who, "favourite"));
    const double Time = Solo.Microseconds * (1 + 0.015 * Off * Off) / Rate(std::min(Own, 64.0));
    Sum += Time;
    Longest = std::max(Longest, Time);
    Issue += Solo.Counters.begin()->second == 0
                 ? 0
                 : Solo.Counters.at("smsp__issue_active.avg.pct_of_peak_sustained_active") / 100 * Solo.Microseconds;
    Dram += Solo.Counters.at("dram__bytes_read.sum") / P.Gpu.DramBytesPerMicrosecond;
  }
  const double Floor = std::max(Issue, Dram) * 1.04;
  const bool Side = Warps || Roles;
  const double Alone =
      Side ? Longest : Sum * (0.8 + 0.18 * random(fmt::format("{}", static_cast<int>(Config.Shape)), "hide"));
  // A soft maximum: near a limit, contention shows before it is reached.
  double Time = std::pow(std::pow(Alone, 5) + std::pow(Floor, 5), 0.2);
  if (Warps && Config.Grid == GridPolicy::Match) { // the block waits for its longer partition
    const double A = paddedThreads(Config.Constituents[0]), B = paddedThreads(Config.Constituents[1]);
    Time *= 1 + 0.05 * std::abs(std::log2(A / B) - 2 * random("", "balance") + 1);
  }
  if (Compiled.Resources)
    Time *= 1 + 0.002 * (Compiled.Resources->SpillStores + Compiled.Resources->SpillLoads);
  const std::string Family = fmt::format("{} {} 0", static_cast<int>(Config.Shape), static_cast<int>(Config.Grid));
  Time *= 1 + 0.10 * random(Family, "family");
  Time *= 1 + 0.04 * random(Family + fmt::format("{}", static_cast<int>(Config.Registers.Policy)), "registers");
  return Time * (1 + 0.004 * std::clamp(normal(C.key(), "rough"), -2.5, 2.5));
}

void SyntheticEvaluator::evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take) {
  size_t Position = 0;
  for (std::vector<Candidate> Some = Next(); !Some.empty(); Some = Next())
    for (const Candidate &C : Some) {
      Evaluation E = screened(C);
      const bool Full = How == Effort::Full;
      Seconds += !How ? ScreenSeconds : E.Outcome == Fate::TimedOut ? 20 : Full ? 0.3 : 0.06;
      if (!How && E.Outcome > Fate::Discarded) {
        E.Outcome = Fate::Measured;
        E.Why.clear();
      } else if (E.Outcome == Fate::Measured) {
        const double Noise = Full ? 0.002 : 0.006;
        E.Microseconds = truth(C) * (1 + Noise * normal(C.key(), fmt::format("n{}", ++Calls).c_str()));
        E.RelativeNoise = Noise;
        E.Samples = Full ? 60 : 10;
        E.ClockMHz = 1980;
      }
      if (!Take(Position++, E))
        return;
    }
}

} // namespace cufuse
