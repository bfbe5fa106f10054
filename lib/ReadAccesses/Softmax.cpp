#include "SoftmaxRun.h"

#include <fmt/core.h>
#include <llvm/IR/Function.h>

#include <array>
#include <cfloat>
#include <cmath>

namespace cufuse {

namespace {

/// Of what the rows are drawn.
struct RowKind {
  double Level, Spread; ///< Of elements.
  double Argument;      ///< Of about this size are those that are real numbers.
  bool MayFail = false; ///< Numbers with the scale may be in range where those without it are not.
};

constexpr unsigned Plain = 3; ///< The first ones, of which the scale is taken.
constexpr std::array<RowKind, 6> Kinds = {
    {{0, 1, 0.4}, {0, 1, 2.5}, {0, 1, -1.5}, {1e6, 1, 2.5}, {0.999999 * FLT_MAX, 0, 1e9, true}, {-INFINITY, 0, 0.4}}};

/// 0 to 1.
double part(std::uint64_t Key) { return std::ldexp(static_cast<double>(Key >> 11), -53); }

class SoftmaxProof {
public:
  SoftmaxProof(const DeviceIr &Ir, const KernelFacts &Facts, const KernelAccesses &Accesses,
               const SoftmaxLaunch &Launch, SoftmaxScale &Scale)
      : Ir(Ir), Facts(Facts), Accesses(Accesses), Launch(Launch), Scale(Scale) {}

  std::optional<Finding> run() {
    if (Ir.kernel().arg_size() != Accesses.Parameters.size())
      return at(nullptr, "its parameters are not known");
    for (unsigned Which = 0; Which < Kinds.size(); ++Which) {
      const SoftmaxRun &Run = Runs.emplace_back(runRows(Ir.kernel(), Accesses, Launch, draw(Which)));
      if (Run.Stopped)
        return at(Run.Stopped->At, Run.Stopped->Why);
      if (const auto *Way = differs(Run.Ways, Runs[0].Ways))
        return at(Way->By, "its way depends on values, or on blocks");
      if (Which + 1 < Plain)
        continue;
      if (Which + 1 == Plain && !findScale())
        return at(
            Run.At,
            "elements x of a row do not become exp(s x) times one number, with s a number, or one times an argument");
      for (unsigned Each = Which + 1 == Plain ? 0 : Which; Each <= Which; ++Each)
        if (auto Other = compare(Each))
          return Other;
    }
    return std::nullopt;
  }

private:
  static double element(unsigned Which, std::int64_t At) {
    return Kinds[Which].Level + Kinds[Which].Spread * (2 * part(drawn(Which, At)) - 1);
  }
  static double argument(unsigned Which, unsigned Number) {
    return Kinds[Which].Argument * (1 + part(drawn(Which, Number, 3)) / 4);
  }
  /// The first and the last block of many, and a single one.
  SoftmaxDraw draw(unsigned Which) const {
    constexpr std::int64_t Most = 1 << 30; // elements, so that 32 bits hold their numbers
    const auto Many = static_cast<unsigned>(std::clamp<std::int64_t>(Most / (Launch.Rows * Launch.Columns), 2, 1000)),
               Blocks = Which % 3 == 0 ? 1 : Many;
    return {[Which](std::int64_t At) { return element(Which, At); },
            [Which](unsigned Number) { return argument(Which, Number); }, Which % 3 == 2 ? Blocks - 1 : 0, Blocks};
  }

  /// What is linear in the numbers of the block and of all blocks, and is so for a single one, holds for all if it does
  /// for the first and the last of many, and is no closer there to what does not hold.
  static const SoftmaxRun::Way *differs(llvm::ArrayRef<SoftmaxRun::Way> Many, llvm::ArrayRef<SoftmaxRun::Way> One) {
    for (size_t I = 0; I < std::max(Many.size(), One.size()); ++I) {
      if (I >= Many.size() || I >= One.size())
        return &(I >= Many.size() ? One : Many)[I];
      const std::int64_t Apart = Many[I].Apart, Before = One[I].Apart;
      if (Many[I].By != One[I].By || Many[I].Holds != One[I].Holds || (Before > 0 && Apart < Before) ||
          (Before < 0 && Apart > Before))
        return &Many[I];
    }
    return nullptr;
  }

  /// From how much more one of two elements gets than the other.
  bool findScale() {
    std::array<double, Plain> Found;
    for (unsigned Which = 0; Which < Plain; ++Which) {
      std::int64_t Least = 0, Most = 0;
      for (std::int64_t At = 1; At < Launch.Columns; ++At) {
        Least = element(Which, At) < element(Which, Least) ? At : Least;
        Most = element(Which, At) > element(Which, Most) ? At : Most;
      }
      const std::vector<double> &Stored = Runs[Which].Stored;
      Found[Which] = std::log(Stored[static_cast<size_t>(Most)] / Stored[static_cast<size_t>(Least)]) /
                     (element(Which, Most) - element(Which, Least));
    }
    for (unsigned Argument = 0; Argument <= Accesses.Parameters.size(); ++Argument) {
      Of = Argument == Accesses.Parameters.size() ? std::nullopt : std::optional(Argument);
      Times = Found[0] / by(0);
      if (llvm::all_of(llvm::seq(Plain), [&](unsigned Which) {
            return std::abs(Found[Which] / by(Which) - Times) <= 1e-9 * std::abs(Times);
          })) {
        Scale = {static_cast<float>(Times), Of ? Accesses.Parameters[*Of].Name : ""};
        return true;
      }
    }
    return false;
  }
  double by(unsigned Which) const { return Of ? argument(Which, *Of) : 1; }

  std::optional<Finding> compare(unsigned Which) const {
    const std::vector<double> &Stored = Runs[Which].Stored;
    std::vector<double> Row(static_cast<size_t>(Launch.Columns));
    for (size_t First = 0; First < Stored.size(); First += Row.size()) {
      double Most = -INFINITY, Sum = 0;
      for (size_t I = 0; I < Row.size(); ++I) {
        Row[I] = inRangeOfFloat(Times * by(Which) * element(Which, static_cast<std::int64_t>(First + I)));
        Most = std::max(Most, Row[I]);
      }
      for (double &Each : Row)
        Sum += Each = inRangeOfFloat(std::exp(Each - Most));
      for (size_t I = 0; I < Row.size(); ++I) {
        const double Own = Stored[First + I], Asked = Row[I] / Sum;
        const bool IsSame = std::isnan(Own) ? std::isnan(Asked) || Kinds[Which].MayFail
                                            : std::abs(Own - Asked) <= (Which < Plain ? 1e-9 : 1e-6) * Asked + 1e-30;
        if (!IsSame)
          return at(Runs[Which].At,
                    fmt::format("for numbers that were drawn it stores {:.9g} where a softmax has {:.9g}",
                                std::abs(Own), std::abs(Asked)));
      }
    }
    return std::nullopt;
  }

  std::optional<Finding> at(const llvm::Instruction *I, std::string Why) const {
    Finding Result;
    Result.What = std::move(Why);
    Result.Where = I ? Ir.place(*I) : Facts.Where;
    if (Result.Where.File.empty())
      Result.Where = Facts.Where;
    return Result;
  }

  const DeviceIr &Ir;
  const KernelFacts &Facts;
  const KernelAccesses &Accesses;
  const SoftmaxLaunch &Launch;
  SoftmaxScale &Scale;
  std::vector<SoftmaxRun> Runs;
  double Times = 1;
  std::optional<unsigned> Of; ///< The argument that is in the scale, too.
};

} // namespace

std::optional<Finding> notSoftmax(const DeviceIr &Ir, const KernelFacts &Facts, const KernelAccesses &Accesses,
                                  const SoftmaxLaunch &Launch, SoftmaxScale &Scale) {
  return SoftmaxProof(Ir, Facts, Accesses, Launch, Scale).run();
}

} // namespace cufuse
