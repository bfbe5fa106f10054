#include "cufuse/Driver/Choose.h"

#include "cufuse/Support/Error.h"

#include "Parts.h"

#include <fmt/core.h>
#include <llvm/ADT/SmallVectorExtras.h>

#include <set>

namespace cufuse {

namespace {

bool isNamed(const std::string &Name, const LoadedKernel &Kernel, const Constituent &C) {
  return Name == C.Name || Name == Kernel.Facts.Name || Name == Kernel.Spec.Kernel ||
         Name == Kernel.Facts.QualifiedName;
}

/// With vertical fusion, one of them may be made of several kernels.
std::string isNoneOf(llvm::ArrayRef<Constituent> Constituents, const std::string &Name) {
  const auto Names = llvm::map_to_vector(Constituents, [](const Constituent &C) { return C.Name; });
  return fmt::format("'{}', which is none of the kernels ({})", Name, llvm::join(Names, ", "));
}

/// The only choice that names this constituent, or that stands at its position.
template <typename Value>
llvm::Expected<std::vector<std::optional<Value>>>
distribute(llvm::ArrayRef<Choice<Value>> Choices, llvm::ArrayRef<LoadedKernel> Kernels,
           llvm::ArrayRef<Constituent> Constituents, const char *Option) {
  std::vector<std::optional<Value>> Result(Kernels.size());
  size_t Position = 0;
  std::set<std::string> Said;
  for (const Choice<Value> &C : Choices) {
    if (!C.Name.empty() && !Said.insert(C.Name).second)
      return badUsage(fmt::format("{} is given twice for {}", Option, C.Name));
    bool Used = false;
    for (size_t I = 0; I < Kernels.size(); ++I) {
      if (C.Name.empty() ? I != Position : !isNamed(C.Name, Kernels[I], Constituents[I]))
        continue;
      Result[I] = C.Chosen;
      Used = true;
    }
    if (C.Name.empty())
      ++Position;
    if (!Used)
      return badUsage(C.Name.empty() ? fmt::format("{} is given {} times for {}", Option, Position,
                                                   Kernels.size() == 1 ? "one kernel, or several that share a block"
                                                                       : std::to_string(Kernels.size()) + " kernels")
                                     : fmt::format("{} names {}", Option, isNoneOf(Constituents, C.Name)));
  }
  return Result;
}

/// What a block has where all sizes are right: as many threads as most kernels are launched with, or as it may have.
BlockShape anyBlock(const KernelFacts &Facts) { return {std::min(256u, Facts.MaxThreads.value_or(256)), 1, 1}; }

/// The block of a kernel that --block leaves open, as the launch has to say again: of the first launch in its file
/// where it is a constant, else of its launch bounds where those can only mean one shape, else any, if any will do.
llvm::Expected<BlockShape> guessedBlock(const LoadedKernel &Kernel, std::string &Why) {
  const KernelFacts &Facts = Kernel.Facts;
  for (const LaunchFacts &Launch : Facts.Launches)
    if (Launch.Block) {
      Why = "as it is launched at " + Launch.Where.str();
      return *Launch.Block;
    }
  const Dimensions &Threads = Facts.Reads[static_cast<size_t>(Builtin::ThreadIdx)];
  if (Facts.MaxThreads && !Threads[1] && !Threads[2]) {
    Why = "its __launch_bounds__";
    return BlockShape{*Facts.MaxThreads, 1, 1};
  }
  if (Kernel.Text.Elements && Kernel.Text.Elements->AnyBlock) {
    Why = "its elements may be in blocks of any size";
    return anyBlock(Facts);
  }
  Message M = Blocker{BlockerKind::UnknownBlock, Facts.Where,
                      Facts.Launches.empty() ? "no launch of it is read in its file"
                                             : "its block is not constant, at " + Facts.Launches.front().Where.str()}
                  .message();
  M.Text = Facts.Name + ": " + M.Text;
  M.Remedy = fmt::format("say it with --block {}=SHAPE, as it is launched", Facts.Name);
  if (Facts.MaxThreads)
    M.Remedy += fmt::format("; its __launch_bounds__ allow {} threads", *Facts.MaxThreads);
  return llvm::make_error<Failure>(ExitCode::BadInput, std::vector<Message>{M});
}

} // namespace

/// The configuration that the request describes. Names need the constituents', which need the facts.
static llvm::Expected<FusionConfig> configure(const FuseRequest &Request, llvm::ArrayRef<LoadedKernel> Kernels,
                                              llvm::ArrayRef<Constituent> Constituents,
                                              std::vector<std::string> &Explanation) {
  FusionConfig Config;
  Config.Shape = Request.Shape;
  Config.Grid = Request.Grid;
  Config.Registers = Request.Registers;
  if (Request.Composition.inMemoryOfAll()) {
    Config.Shape = Geometry::Threads;
    Config.Grid = GridPolicy::Stride;
    Config.Cooperative = Request.Composition.Cooperative;
    Config.LastBlock = Request.Composition.LastBlock;
    Config.FirstBlock = Request.Composition.FirstBlock;
  }
  if (!Request.Resident.empty() && Request.Grid == GridPolicy::Match)
    return badUsage("--resident is for --grid-policy stride and pool");
  if (Request.Registers.Policy == RegisterPolicy::Split && Request.RegisterBudgets.size() != Kernels.size())
    return badUsage(
        fmt::format("--registers split has {} budgets for {} kernels", Request.RegisterBudgets.size(), Kernels.size()));
  llvm::ArrayRef<Choice<unsigned>> Roles = Request.Resident;
  if (Request.Shape != Geometry::Blocks && !Roles.empty()) {
    if (Roles.size() > 1 || !Roles[0].Name.empty())
      return badUsage("--resident is said once and without a name, but for --geometry blocks");
    Config.ResidentBlocks = Roles[0].Chosen;
    Roles = {};
  }

  if (llvm::any_of(Request.Resident, [](const Choice<unsigned> &C) { return C.Chosen == 0; }) &&
      (Request.Shape != Geometry::Blocks || Request.Grid != GridPolicy::Stride))
    return badUsage("--resident NAME=0 is for --geometry blocks with --grid-policy stride");

  auto Blocks = TRY(distribute<BlockShape>(Request.Blocks, Kernels, Constituents, "--block"));
  Config.Constituents.resize(Kernels.size());
  const std::tuple<llvm::ArrayRef<Choice<unsigned>>, const char *, unsigned ConstituentConfig::*> Numbers[] = {
      {Request.Copies, "--copies", &ConstituentConfig::Copies},
      {Request.Turns, "--turns", &ConstituentConfig::Turns},
      {Roles, "--resident", &ConstituentConfig::ResidentBlocks},
      {Request.Unroll, "--unroll", &ConstituentConfig::Unroll}};
  for (const auto &[Choices, Option, Number] : Numbers) {
    auto Given = TRY(distribute(Choices, Kernels, Constituents, Option));
    for (size_t I = 0; I < Kernels.size(); ++I)
      if (Given[I])
        Config.Constituents[I].*Number = *Given[I];
  }
  for (const auto &Choice : Request.Bound)
    if (llvm::none_of(llvm::zip(Kernels, Constituents),
                      [&](const auto &Each) { return isNamed(Choice.Name, std::get<0>(Each), std::get<1>(Each)); }))
      return badUsage("--bind names " + isNoneOf(Constituents, Choice.Name));

  llvm::Error Unknown = llvm::Error::success();
  for (size_t I = 0; I < Kernels.size(); ++I) {
    ConstituentConfig &Chosen = Config.Constituents[I];
    if (Request.Registers.Policy == RegisterPolicy::Split)
      Chosen.RegisterBudget = Request.RegisterBudgets[I];
    for (const auto &Choice : Request.Bound)
      if (isNamed(Choice.Name, Kernels[I], Constituents[I]))
        Chosen.Bound.push_back(Choice.Chosen);
    if (Blocks[I]) {
      Chosen.Block = *Blocks[I];
      const KernelFacts &Facts = Kernels[I].Facts;
      if (const std::string Why = contradicted(Constituents[I].Name, Facts, Chosen.Block);
          !Why.empty() && Kernels[I].Parsed.Unit)
        Unknown = llvm::joinErrors(
            std::move(Unknown),
            badInput(Why, fmt::format("say --block {}={}", Constituents[I].Name, Facts.Launches.front().Block->str()),
                     Facts.Where));
    } else if (auto Guess = guessedBlock(Kernels[I], Chosen.GuessedFrom)) {
      Chosen.Block = *Guess;
    } else {
      Unknown = llvm::joinErrors(std::move(Unknown), Guess.takeError());
      continue;
    }
    Explanation.push_back(fmt::format("{}: block {}: {}", Constituents[I].Name, Chosen.Block.str(),
                                      Chosen.GuessedFrom.empty() ? "--block" : Chosen.GuessedFrom));
  }
  if (Unknown)
    return std::move(Unknown);
  return Config;
}

llvm::Expected<FusionConfig> choose(const FuseRequest &Request, llvm::ArrayRef<LoadedKernel> Kernels,
                                    llvm::ArrayRef<Constituent> Constituents, std::vector<std::string> &Explanation,
                                    std::vector<std::string> &Tuned) {
  if (!Request.Tuned)
    return configure(Request, Kernels, Constituents, Explanation);
  auto Found = TRY(findTuned(*Request.Tuned, Kernels));
  Tuned = std::move(Found.Facts);
  return std::move(Found.Config);
}

llvm::Expected<BlockShape> rootBlock(const FuseRequest &Request, const LoadedKernel &Root, const std::string &Name,
                                     bool AnyWillDo) {
  std::string Why;
  for (const Choice<BlockShape> &Said : Request.Blocks)
    if (!Said.Name.empty() && !isNamed(Said.Name, Root, Constituent{Name, &Root.Facts, &Root.Text})) {
      auto Own = llvm::expectedToOptional(guessedBlock(Root, Why)); // the number given is another kernel's
      return badUsage(
          fmt::format("--block names '{}', but kernels that become one have one block, that of {}", Said.Name, Name),
          Own         ? fmt::format("say --block {}={}: {}", Name, Own->str(), Why)
          : AnyWillDo ? "leave it out: any will do"
                      : fmt::format("say --block {}=SHAPE, as it is launched", Name));
    }
  auto Blocks =
      TRY(distribute<BlockShape>(Request.Blocks, Root, Constituent{Name, &Root.Facts, &Root.Text}, "--block"));
  if (Blocks.front())
    return *Blocks.front();
  auto Guess = guessedBlock(Root, Why);
  if (Guess || !AnyWillDo)
    return Guess;
  llvm::consumeError(Guess.takeError());
  return anyBlock(Root.Facts);
}

} // namespace cufuse
