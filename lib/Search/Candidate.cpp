#include "cufuse/Search/Candidate.h"

#include "cufuse/Plan/ConfigNames.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace cufuse {

namespace {
/// One part for each constituent, joined by `+`.
template <typename Part> std::string joined(const FusionConfig &Config, Part PartOf) {
  return llvm::join(llvm::map_range(Config.Constituents, PartOf), "+");
}

std::string registersOf(const FusionConfig &Config) {
  const RegisterLimit &R = Config.Registers;
  std::string Text = nameOf(R.Policy).str();
  if (R.Policy == RegisterPolicy::Count)
    return fmt::format("{}", R.Count);
  // The budgets say how many registers the block is launched with, and so how many blocks are resident.
  if (R.Policy == RegisterPolicy::Split)
    return Text + "=" + joined(Config, [](const ConstituentConfig &C) { return std::to_string(C.RegisterBudget); });
  return R.MinBlocks > 0 ? fmt::format("{}/{}", Text, R.MinBlocks) : Text;
}
} // namespace

std::string Candidate::key() const {
  if (!Groups.empty())
    return llvm::join(llvm::map_range(Groups, [](const LaunchGroup &Group) { return Group.str(); }), " | ");
  std::string Key = nameOf(Config.Shape).str();
  Key += fmt::format(" {} {} x{}", nameOf(Config.Grid).str(),
                     joined(Config, [](const ConstituentConfig &C) { return C.Block.str(); }),
                     joined(Config, [](const ConstituentConfig &C) { return std::to_string(C.Copies); }));
  if (llvm::any_of(Config.Constituents, [](const ConstituentConfig &C) { return C.Turns > 1; }))
    Key += " t" + joined(Config, [](const ConstituentConfig &C) { return std::to_string(C.Turns); });
  if (Config.Shape == Geometry::Blocks && Config.Grid == GridPolicy::Stride)
    Key += " r" + joined(Config, [](const ConstituentConfig &C) { return std::to_string(C.ResidentBlocks); });
  else if (Config.ResidentBlocks > 0)
    Key += fmt::format(" r{}", Config.ResidentBlocks);
  Key += " " + registersOf(Config);
  if (llvm::any_of(Config.Constituents, [](const ConstituentConfig &C) { return C.Unroll > 0; }))
    Key += " u" + joined(Config, [](const ConstituentConfig &C) { return std::to_string(C.Unroll); });
  if (llvm::any_of(Config.Constituents, [](const ConstituentConfig &C) { return !C.Bound.empty(); }))
    Key += " bind " + joined(Config, [](const ConstituentConfig &C) {
             auto Each = [](const auto &Argument) { return Argument.first + "=" + Argument.second; };
             return "(" + llvm::join(llvm::map_range(C.Bound, Each), ",") + ")";
           });
  return Key;
}

Candidate Candidate::compiled() const {
  Candidate One = *this;
  if (Config.Shape == Geometry::Blocks && Config.Grid == GridPolicy::Stride)
    for (ConstituentConfig &C : One.Config.Constituents)
      C.ResidentBlocks = std::min(C.ResidentBlocks, 1u);
  return One;
}

} // namespace cufuse
