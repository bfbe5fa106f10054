#include "GroupFuser.h"
#include "TuningKind.h"

#include "cufuse/Driver/CheckPaths.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

/// What all launches of a candidate need, as the report shows it: the most of a thread, and all that is spilled.
void add(Evaluation &Sum, const Evaluation &One) {
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

/// A group is compiled once, however many candidates have it.
class AlongLinks final : public TuningKind {
public:
  AlongLinks(const TuningTools &Tools, const TuningSubject &Subject, const SoloFindings &Found,
             std::vector<KernelLaunch> Given)
      : P(Found.What), Emit(Subject.Emit), Fuse(Tools.Clang, Subject), Given(std::move(Given)), Back(Tools.Back),
        Runs(Tools) {}

  std::vector<Candidate> candidates(const Strategy &) const override {
    return enumerateGraphSpace(P, [&](llvm::ArrayRef<unsigned> Group) { return Fuse.ways(Group); });
  }

  void evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take) override {
    Runs.evaluate(Next, How, Take, [this](const Candidate &C) { return emit(C); });
  }

  BuiltCandidate wholeOf(const Candidate &Of) override {
    evaluate(once<Candidate>(Of), std::nullopt, [](size_t, const Evaluation &) { return true; });
    return Runs.known(Of.key()).value_or(BuiltCandidate());
  }

  /// `OUT.cu` has the first fused launch, `OUT_2.cu` the next, in namespaces that are called in the same way.
  llvm::Expected<TuningDraft> draft(const Candidate &Of) override {
    TuningDraft Draft;
    unsigned Count = 0;
    for (const LaunchGroup &Group : Of.Groups) {
      Draft.Order += Draft.Order.empty() ? "" : ", then ";
      Draft.Order += Group.str();
      if (!Group.isFused())
        continue;
      EmitOptions Own = Emit;
      if (++Count > 1) {
        Own.Name += fmt::format("_{}", Count);
        Own.SourceFile = numbered(Emit.SourceFile, Count);
        Own.HeaderFile = headerOf(Own.SourceFile);
      }
      Draft.Order += " in " + Own.SourceFile;
      auto Fused = TRY(Fuse.fuse(membersOf(P, Group), Group, Own));
      TRY(Fused.Text->verify(Fused.Source, Fused.Plan));
      llvm::append_range(Draft.Files, filesOf(Own, std::move(Fused.Source)));
      Draft.Fused = std::make_shared<FusedGroup>(std::move(Fused));
    }
    return Draft;
  }

  std::uint64_t elementsOf(const Candidate &Of) const override {
    const auto Known = Parts.find(Of.Groups.front().str());
    return Of.Groups.size() == 1 && Known != Parts.end() && Known->second->Fused ? Known->second->Fused->Elements : 0;
  }

private:
  /// One launch on its way; compiled by the first candidate that needs it.
  struct Part {
    std::string Name;
    std::optional<FusedGroup> Fused; ///< Nothing of a kernel alone, and where it is impossible.
    CompileJob Job = {};
    std::once_flag Once = {};
    BuiltCandidate Done = {};
  };

  llvm::Expected<CandidateRuns::Compilation> emit(const Candidate &Of) {
    Launches Members;
    for (const LaunchGroup &Group : Of.Groups)
      Members.push_back(membersOf(P, Group));
    if (!inOrder(*P.Graph, Members))
      return badInput("another kernel has to run between those of one launch");
    std::vector<std::shared_ptr<Part>> Parts;
    for (const auto &[Group, Own] : llvm::zip(Of.Groups, Members))
      Parts.push_back(part(Group, Own));
    return CandidateRuns::Compilation{
        nullptr, [this, Parts = std::move(Parts)] {
          BuiltCandidate Whole;
          Whole.Result.Outcome = Fate::Measured;
          for (const std::shared_ptr<Part> &One : Parts) {
            std::call_once(One->Once, [&] { compile(*One); });
            const BuiltCandidate &Done = One->Done;
            if (Done.Launches.empty())
              return BuiltCandidate{failedWith(Done.Result.Outcome, One->Name + ": " + Done.Result.Why), {}};
            add(Whole.Result, Done.Result);
            Whole.Launches.push_back(Done.Launches.front());
          }
          return Whole;
        }};
  }

  std::shared_ptr<Part> part(const LaunchGroup &Group, llvm::ArrayRef<unsigned> Members) {
    std::shared_ptr<Part> &Known = Parts[Group.str()];
    if (Known)
      return Known;
    Known = std::make_shared<Part>(Group.str());
    if (!Group.isFused()) {
      Known->Done.Launches = {Given[Members.front()]};
    } else if (auto Fused = Fuse.fuse(Members, Group, ofAnyCommand(Emit))) {
      Known->Job = jobOf(*Fused->Text, Fused->Source, P.Gpu.Arch);
      Known->Job.Entry = Fused->Entry;
      Known->Fused = std::move(*Fused);
    } else {
      Known->Done.Result = failedWith(Fate::Impossible, Fused.takeError());
    }
    return Known;
  }

  void compile(Part &One) const {
    if (!One.Fused)
      return;
    if (auto Compiled = Back.compile(One.Job))
      One.Done = understand(One.Fused->Plan, One.Fused->Text->options().Name, One.Fused->Entry, *Compiled,
                            &One.Fused->Kernel.front().Facts, {One.Fused->Packed}, P.Gpu);
    else
      One.Done.Result = failedWith(Fate::CompileFailed, Compiled.takeError());
  }

  const Problem &P;
  const EmitOptions Emit;
  const GroupFuser Fuse;
  const std::vector<KernelLaunch> Given;
  Compiler &Back;
  std::map<std::string, std::shared_ptr<Part>> Parts; ///< By `LaunchGroup::str`; on the calling thread alone.
  CandidateRuns Runs;                                 ///< Last: what they compile ends first.
};

} // namespace

std::unique_ptr<TuningKind> alongLinks(const TuningTools &Tools, const TuningSubject &Subject,
                                       const SoloFindings &Found, std::vector<KernelLaunch> Given) {
  return std::make_unique<AlongLinks>(Tools, Subject, Found, std::move(Given));
}

} // namespace cufuse
