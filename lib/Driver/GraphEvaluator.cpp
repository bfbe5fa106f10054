#include "GraphEvaluator.h"

#include "cufuse/Model/Occupancy.h"
#include "cufuse/Support/Error.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

/// What all launches of a candidate need, as the report shows it: the most of a thread, and all that is spilled.
static void add(Evaluation &Sum, const Evaluation &One) {
  if (!One.Resources)
    return;
  if (!Sum.Resources) {
    Sum.Resources = One.Resources;
    Sum.ResidentBlocks = One.ResidentBlocks;
    return;
  }
  ResourceUse &Use = *Sum.Resources;
  Use.Registers = std::max(Use.Registers, One.Resources->Registers);
  Use.SharedBytes = std::max(Use.SharedBytes, One.Resources->SharedBytes);
  Use.Barriers = std::max(Use.Barriers, One.Resources->Barriers);
  Use.StackBytes = std::max(Use.StackBytes, One.Resources->StackBytes);
  Use.SpillStores += One.Resources->SpillStores;
  Use.SpillLoads += One.Resources->SpillLoads;
}

std::optional<Launches> GraphEvaluator::membersOf(const Candidate &Candidate) const {
  Launches Members;
  for (const LaunchGroup &Group : Candidate.Groups) {
    std::vector<unsigned> &Own = Members.emplace_back();
    for (const std::string &Name : Group.Kernels)
      Own.push_back(static_cast<unsigned>(
          llvm::find_if(P.Constituents, [&](const ConstituentProblem &C) { return C.Name == Name; }) -
          P.Constituents.begin()));
  }
  return inOrder(*P.Graph, Members) ? std::optional(Members) : std::nullopt;
}

void GraphEvaluator::evaluate(llvm::ArrayRef<Candidate> Candidates, std::optional<Effort> How, TakeEvaluation Take) {
  auto Call = std::make_shared<Batch>();
  for (size_t I = 0; I < Candidates.size(); ++I)
    begin(Call, I, Candidates[I], How);
  Call->deliver(Candidates.size(), Take);
}

const std::vector<KernelLaunch> *GraphEvaluator::launchesOf(const Candidate &Candidate) {
  std::lock_guard Guard(Lock);
  const auto Found = Known.find(Candidate.key());
  return Found != Known.end() && !Found->second.Launches.empty() ? &Found->second.Launches : nullptr;
}

/// Emits and hands on what is not known yet.
void GraphEvaluator::begin(const std::shared_ptr<Batch> &Call, size_t Position, const Candidate &Candidate,
                           std::optional<Effort> How) {
  const std::string Key = Candidate.key();
  {
    std::unique_lock Guard(Lock);
    if (const auto Found = Known.find(Key); Found != Known.end()) {
      const Built Already = Found->second;
      Guard.unlock();
      return proceed(Call, Position, Key, Already, How);
    }
  }
  const auto Members = membersOf(Candidate);
  if (!Members)
    return Call->push(Position, failedWith(Fate::Impossible, "another kernel has to run between those of one launch"));
  struct Part {
    std::string Name;
    std::optional<KernelLaunch> Own;
    std::shared_ptr<Build> Fused;
  };
  std::vector<Part> Parts;
  for (size_t I = 0; I < Candidate.Groups.size(); ++I) {
    const LaunchGroup &Group = Candidate.Groups[I];
    if (Group.isFused())
      Parts.push_back({Group.str(), std::nullopt, build(Group)});
    else
      Parts.push_back({Group.str(), Alone[(*Members)[I].front()], {}});
  }
  Tasks.async([this, Call, Position, Key, How, Parts = std::move(Parts)] {
    if (Call->Ended)
      return;
    Built Whole;
    Whole.Result.Outcome = Fate::Measured;
    for (const Part &One : Parts) {
      if (One.Own) {
        Whole.Launches.push_back(*One.Own);
        continue;
      }
      if (One.Fused->Fused)
        std::call_once(One.Fused->Once, [&] { One.Fused->Done = compile(*One.Fused->Fused, One.Fused->Job); });
      const Built &Fused = One.Fused->Done;
      if (Fused.Launches.empty()) {
        Whole = {failedWith(Fused.Result.Outcome, One.Name + ": " + Fused.Result.Why), {}};
        break;
      }
      add(Whole.Result, Fused.Result);
      Whole.Launches.push_back(Fused.Launches.front());
    }
    {
      std::lock_guard Guard(Lock);
      Known.insert_or_assign(Key, Whole);
    }
    proceed(Call, Position, Key, Whole, How);
  });
}

/// A result, or the next step towards it.
void GraphEvaluator::proceed(const std::shared_ptr<Batch> &Call, size_t Position, const std::string &Key,
                             const Built &Known, std::optional<Effort> How) {
  if (!How || Known.Launches.empty())
    return Call->push(Position, Known.Result);
  if (!Gpus.hasGpu())
    return Call->push(Position, failedWith(Fate::LaunchFailed, "there is no GPU"));
  Schedule One{Key, Schedule::Serial, Known.Launches};
  if (*How == Effort::Short)
    One.Stop = Options.Short;
  Gpus.submit(std::move(One), [Call, Position, Result = Known.Result](const RunOutcome &Outcome) mutable {
    Call->push(Position, withOutcome(std::move(Result), Outcome));
  });
}

std::shared_ptr<GraphEvaluator::Build> GraphEvaluator::build(const LaunchGroup &Group) {
  auto [Entry, IsNew] = Groups.try_emplace(Group.str());
  if (!IsNew)
    return Entry->second;
  auto New = Entry->second = std::make_shared<Build>();
  std::vector<unsigned> Members;
  for (unsigned I = 0; I < P.Constituents.size(); ++I)
    if (llvm::is_contained(Group.Kernels, P.Constituents[I].Name))
      Members.push_back(I);
  auto Fused = Fuse.fuse(Members, Group, Emit);
  if (!Fused) {
    New->Done = {failedWith(Fate::Impossible, Fused.takeError()), {}};
    return New;
  }
  New->Job.Arch = Options.Arch;
  New->Job.Flags = nvccFlags(*Fused->Text);
  New->Job.Entry = Fused->Entry;
  New->Job.Files = filesAlone(*Fused->Text, Fused->Source);
  New->Fused = std::move(*Fused);
  return New;
}

GraphEvaluator::Built GraphEvaluator::compile(const FusedGroup &Group, const CompileJob &Job) {
  auto Compiled = Back.compile(Job);
  if (!Compiled)
    return {failedWith(Fate::CompileFailed, Compiled.takeError()), {}};
  const ResourceUse *Use = Compiled->find(Group.Entry);
  if (!Use)
    return {failedWith(Fate::CompileFailed, "ptxas does not know the fused kernel"), {}};
  auto Launch = Group.launch(Compiled->Cubin, P.Gpu.Multiprocessors);
  if (!Launch)
    return {failedWith(Fate::Impossible, Launch.takeError()), {}};
  Built Done;
  Done.Result.Resources = *Use;
  Done.Result.ResidentBlocks =
      occupancyOf(smLimits(Options.Arch), {static_cast<unsigned>(Group.Packed.Block.threads()), Use->Registers,
                                           Use->SharedBytes + Launch->DynamicBytes, Use->Barriers})
          .Blocks;
  if (Done.Result.ResidentBlocks == 0)
    return {failedWith(Fate::Discarded, "not one block fits on an SM"), {}};
  Done.Result.Outcome = Fate::Measured;
  Done.Launches = {std::move(*Launch)};
  return Done;
}

} // namespace cufuse
