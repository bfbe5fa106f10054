#include "GraphEvaluator.h"

#include "cufuse/Gpu/Occupancy.h"
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

llvm::Expected<CandidateRuns::Compilation> GraphEvaluator::emit(const Candidate &Candidate) {
  Launches Members;
  for (const LaunchGroup &Group : Candidate.Groups)
    Members.push_back(membersOf(P, Group));
  if (!inOrder(*P.Graph, Members))
    return badInput("another kernel has to run between those of one launch");
  struct Part {
    std::string Name;
    std::optional<KernelLaunch> Own;
    std::shared_ptr<Build> Fused;
  };
  std::vector<Part> Parts;
  for (size_t I = 0; I < Candidate.Groups.size(); ++I) {
    const LaunchGroup &Group = Candidate.Groups[I];
    if (Group.isFused())
      Parts.push_back({Group.str(), std::nullopt, build(Group, Members[I])});
    else
      Parts.push_back({Group.str(), Alone[Members[I].front()], {}});
  }
  return CandidateRuns::Compilation{
      nullptr, [this, Parts = std::move(Parts)] {
        BuiltCandidate Whole;
        Whole.Result.Outcome = Fate::Measured;
        for (const Part &One : Parts) {
          if (One.Own) {
            Whole.Launches.push_back(*One.Own);
            continue;
          }
          if (One.Fused->Fused)
            std::call_once(One.Fused->Once, [&] { One.Fused->Done = compile(*One.Fused->Fused, One.Fused->Job); });
          const BuiltCandidate &Fused = One.Fused->Done;
          if (Fused.Launches.empty())
            return BuiltCandidate{failedWith(Fused.Result.Outcome, One.Name + ": " + Fused.Result.Why), {}};
          add(Whole.Result, Fused.Result);
          Whole.Launches.push_back(Fused.Launches.front());
        }
        return Whole;
      }};
}

std::shared_ptr<GraphEvaluator::Build> GraphEvaluator::build(const LaunchGroup &Group,
                                                             llvm::ArrayRef<unsigned> Members) {
  auto [Entry, IsNew] = Groups.try_emplace(Group.str());
  if (!IsNew)
    return Entry->second;
  auto New = Entry->second = std::make_shared<Build>();
  auto Fused = Fuse.fuse(Members, Group, Emit);
  if (!Fused) {
    New->Done = {failedWith(Fate::Impossible, Fused.takeError()), {}};
    return New;
  }
  New->Job.Arch = Arch;
  New->Job.Flags = nvccFlags(*Fused->Text);
  New->Job.Entry = Fused->Entry;
  New->Job.Files = filesAlone(*Fused->Text, Fused->Source);
  New->Fused = std::move(*Fused);
  return New;
}

BuiltCandidate GraphEvaluator::compile(const FusedGroup &Group, const CompileJob &Job) const {
  auto Compiled = Back.compile(Job);
  if (!Compiled)
    return {failedWith(Fate::CompileFailed, Compiled.takeError()), {}};
  const ResourceUse *Use = Compiled->find(Group.Entry);
  if (!Use)
    return {failedWith(Fate::CompileFailed, "ptxas does not know the fused kernel"), {}};
  auto Launch = Group.launch(Compiled->Cubin, P.Gpu.Multiprocessors);
  if (!Launch)
    return {failedWith(Fate::Impossible, Launch.takeError()), {}};
  BuiltCandidate Done;
  Done.Result.Resources = *Use;
  Done.Result.ResidentBlocks =
      occupancyOf(smLimits(Arch), {static_cast<unsigned>(Group.Packed.Block.threads()), Use->Registers,
                                   Use->SharedBytes + Launch->DynamicBytes, Use->Barriers})
          .Blocks;
  if (Done.Result.ResidentBlocks == 0)
    return {failedWith(Fate::Discarded, "not one block fits on an SM"), {}};
  Done.Result.Outcome = Fate::Measured;
  Done.Launches = {std::move(*Launch)};
  return Done;
}

} // namespace cufuse
