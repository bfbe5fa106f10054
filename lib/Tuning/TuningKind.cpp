#include "TuningKind.h"

#include "GraphEvaluator.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace cufuse {

namespace {

class SideBySide final : public TuningKind {
public:
  SideBySide(const Toolchain &Tools, const TuningSubject &Subject) : Fuse(Tools, Subject.Kernels, Subject.Emit) {}

  std::optional<GraphFacts> graph() const override { return std::nullopt; }
  bool shapesKernels() const override { return true; }
  std::string strategy(const std::string &Asked) const override { return Asked; }
  std::vector<Candidate> candidates(const Problem &P, const Strategy &How) const override { return How.candidates(P); }
  std::unique_ptr<LaunchingEvaluator> evaluator(const TuningTools &Tools, const SoloFindings &Found,
                                                std::vector<KernelLaunch>) override {
    return std::make_unique<FuseEvaluator>(Fuse, Found.What, Found.Packed, Tools.Back, Tools.Pool, Tools.Gpus,
                                           EvaluatorOptions{Found.What.Gpu.Arch, ShortStop});
  }
  llvm::Expected<TuningDraft> draft(const Problem &, const Candidate &Of) override {
    auto Text = Fuse.source(Of.Config);
    if (!Text)
      return Text.takeError();
    return TuningDraft{filesOf(Fuse.options(), std::move(*Text)), ""};
  }

private:
  Fuser Fuse;
};

class AlongLinks final : public TuningKind {
public:
  AlongLinks(const Toolchain &Tools, const TuningSubject &Subject) : Emit(Subject.Emit), Groups(Tools, Subject) {}

  std::optional<GraphFacts> graph() const override { return Groups.facts(); }
  bool shapesKernels() const override { return false; }
  /// There are few choices.
  std::string strategy(const std::string &) const override { return "exhaustive"; }
  std::vector<Candidate> candidates(const Problem &P, const Strategy &) const override {
    return enumerateGraphSpace(P, [&](llvm::ArrayRef<unsigned> Group) { return Groups.ways(Group); });
  }
  std::unique_ptr<LaunchingEvaluator> evaluator(const TuningTools &Tools, const SoloFindings &Found,
                                                std::vector<KernelLaunch> Given) override {
    return std::make_unique<GraphEvaluator>(Groups, Found.What, Emit, std::move(Given), Tools.Back, Tools.Pool,
                                            Tools.Gpus, EvaluatorOptions{Found.What.Gpu.Arch, ShortStop});
  }

  /// `OUT.cu` has the first fused launch, `OUT_2.cu` the next, in namespaces that are called in the same way.
  llvm::Expected<TuningDraft> draft(const Problem &P, const Candidate &Of) override {
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
        const std::string Stem = llvm::sys::path::stem(Emit.SourceFile).str();
        Own.SourceFile = fmt::format("{}_{}.cu", Stem, Count);
        Own.HeaderFile = fmt::format("{}_{}.h", Stem, Count);
      }
      Draft.Order += " in " + Own.SourceFile;
      auto Fused = Groups.fuse(membersOf(P, Group), Group, Own);
      if (!Fused)
        return Fused.takeError();
      if (llvm::Error Error = Fused->Text->verify(Fused->Source, Fused->Plan))
        return std::move(Error);
      llvm::append_range(Draft.Files, filesOf(Own, std::move(Fused->Source)));
    }
    return Draft;
  }

private:
  const EmitOptions Emit;
  const GroupFuser Groups;
};

} // namespace

std::unique_ptr<TuningKind> sideBySide(const Toolchain &Tools, const TuningSubject &Subject) {
  return std::make_unique<SideBySide>(Tools, Subject);
}
std::unique_ptr<TuningKind> alongLinks(const Toolchain &Tools, const TuningSubject &Subject) {
  return std::make_unique<AlongLinks>(Tools, Subject);
}

} // namespace cufuse
