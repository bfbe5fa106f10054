#include "cufuse/Emit/Emit.h"

#include "EmittedCuda.h"
#include "Parts.h"
#include "cufuse/Plan/ExpectPtx.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/SmallVectorExtras.h>

#include <set>

namespace cufuse {

namespace {

class Emitter {
public:
  Emitter(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const EmitOptions &Options)
      : Constituents(Constituents), Plan(Plan), Options(Options), Out(Options.SourceFile, Options.LineDirectives) {}

  FusedSource run() {
    const auto Facts = llvm::map_to_vector(Constituents, [](const Constituent &C) { return C.Facts; });
    Writer Kernels("", false);
    kernels(Kernels);
    const std::vector<Given> Needs = needsOf(Constituents, Plan, Kernels);
    auto Prelude = [&](Writer &Own) { emitPrelude(Own, Constituents, Plan, Options, Needs, Kernels); };
    Out.write(constant(expectationLine(expectPtx(Facts, Plan, Options.Name))));
    writeAsWritten(Out, Options);
    Out.write(constant(banner()));
    architectureGuard();
    // Before any macro of a user's header.
    constexpr const char *GridBarrier = "#include <cooperative_groups.h>";
    if (Plan.Cooperative && !rebindsLibraries(Constituents, Plan))
      Out.write(GridBarrier);
    if (rebindsLibraries(Constituents, Plan)) {
      Out.write("#include <cuda_runtime.h>");
      includePrelude();
      std::set<std::string> Before;
      for (const Constituent &C : Constituents)
        Before.insert(C.Text->BeforeLibraries.begin(), C.Text->BeforeLibraries.end());
      for (const std::string &Line : Before)
        Out.write(Line);
      Out.blank();
      writeOurs(Out, Constituents, Options, Prelude);
      defineForLibraries(Out, Constituents, Options.Name, true);
      includeLines(Out, Constituents, Options, &KernelText::Libraries, false, Included);
      if (Plan.Cooperative)
        Out.write(GridBarrier);
      defineForLibraries(Out, Constituents, Options.Name, false);
      includes();
    } else {
      includes();
      writeOurs(Out, Constituents, Options, Prelude);
    }
    emitTexts(Out, Constituents, Plan, Options);
    writeOurs(Out, Constituents, Options, [&](Writer &Own) {
      Own.line("namespace {} {{", Options.Name);
      if (!Options.Prelude.empty())
        Own.line("using namespace {};", preludeNamespace());
      Own.write(Kernels);
      if (!Options.KernelOnly)
        inOwnSpace(Own, [&] {
          emitLauncher(Own, Constituents, Plan, Options, Needs);
          if (Options.Apart)
            defineApart(Own, Options);
        });
      Own.line("}} // namespace {}", Options.Name);
    });
    FusedSource Fused{Out.text(), emitHeader(Constituents, Plan, Options), Out.structure()};
    if (!Options.KernelOnly)
      writeHashes(Fused);
    return Fused;
  }

private:
  void kernels(Writer &To) const {
    if (llvm::any_of(Constituents, [](const Constituent &C) { return C.Text->HasConstants; }))
      inOwnSpace(To, [&] { To.write(emitted(cuda::PaddedConstants)); });
    if (!Plan.hasBound() || !Options.KernelOnly)
      emitKernel(To, Constituents, Plan, Options.Name, /*Bound=*/false);
    if (Plan.hasBound())
      emitKernel(To, Constituents, Plan, Options.Name, /*Bound=*/true);
  }

  /// Another architecture's text was not analysed.
  void architectureGuard() {
    std::set<unsigned> Allowed;
    bool Asks = false;
    for (const Constituent &C : Constituents)
      if (!C.Text->Architectures.empty()) {
        if (Asks)
          std::erase_if(Allowed, [&](unsigned Each) { return !C.Text->Architectures.contains(Each); });
        else
          Allowed = C.Text->Architectures;
        Asks = true;
      }
    if (!Asks)
      return;
    std::string Condition = "defined(__CUDA_ARCH__)", Names;
    for (unsigned Each : Allowed) {
      Condition += fmt::format(" && __CUDA_ARCH__ != {}", Each);
      Names += fmt::format("{}sm_{}", Names.empty() ? "" : " and ", Each / 10);
    }
    Out.line("#if {}\n#error \"the kernels ask for the architecture, and were fused for {}: fuse them with --arch for "
             "another\"\n#endif",
             Condition, Names);
  }

  std::string banner() const {
    constexpr std::array Heads = {"Kernels side by side in one launch", "Kernels in blocks of one launch",
                                  "Kernels one after the other in one launch"};
    const bool Overlaps = Plan.Overlap.Waits || Plan.Overlap.Triggers;
    std::string Text = fmt::format("// {}, fused by cufuse. Made by:\n//   {}\n",
                                   Overlaps ? "A kernel whose launch overlaps with those beside it"
                                   : Constituents.front().Text->IsComposed ? "Dependent kernels as one in one launch"
                                                                           : Heads[static_cast<size_t>(Plan.Shape)],
                                   inComment(Options.Command));
    for (const PartitionPlan &P : Plan.Partitions) {
      const Constituent &C = Constituents[P.Constituent];
      Text +=
          fmt::format("// threads {:>4} to {:>4}{}: {}, {}block {}", P.First, P.First + P.Beside * P.PaddedThreads - 1,
                      Plan.Shape == Geometry::Blocks ? " of its blocks" : "", inComment(C.Facts->QualifiedName),
                      P.Beside > 1 ? fmt::format("{} of ", P.Beside) : "", P.Block.str());
      if (const unsigned Turns = Plan.Roles[P.Constituent].Turns; Turns > 1)
        Text += fmt::format(", {} times", Turns);
      if (P.Barrier)
        Text += fmt::format(", barrier {}", P.Barrier);
      else if (P.NamedBarriers == MaxNamedBarriers)
        Text += ", all barriers";
      Text += '\n';
    }
    Text.pop_back();
    return Text;
  }

  void includePrelude() {
    if (const std::string Line = fmt::format("#include \"{}\"", Options.Prelude);
        !Options.Prelude.empty() && Included.insert(Line).second)
      writeOurs(Out, Constituents, Options, [&](Writer &Own) { Own.write(Line); }, preludeText());
  }

  void includes() {
    Out.line("#include \"{}\"", Options.HeaderFile);
    includePrelude();
    Out.blank();
    if (Options.Apart && !Options.KernelOnly)
      for (const char *Header : {"#include <cstdlib>", "#include <string>"})
        if (Included.insert(Header).second)
          Out.write(Header);
    Writer Lines("", false);
    includeLines(Lines, Constituents, Options, &KernelText::Includes, false, Included);
    if (!Lines.text().empty())
      Out.write(llvm::StringRef(Lines.text()).rtrim().str());
    if (llvm::any_of(Constituents, [](const Constituent &C) { return C.Text->HasHostShared; })) {
      Out.blank();
      Out.write(
          "#ifndef __CUDACC_RDC__\n#error \"variables are shared with other objects: compile with -rdc=true\"\n#endif");
    }
    auto OfLinker = [](const Constituent &C) { return !C.Facts->LibraryFunctionsOfLinker.empty(); };
    if (const auto User = llvm::find_if(Constituents, OfLinker);
        User != Constituents.end() && rebindsLibraries(Constituents, Plan)) {
      Out.blank();
      Out.write(
          fmt::format("#ifdef __CUDACC_RDC__\n#error \"{} uses a part of the block here: the linker must not take "
                      "another file's instead. Compile without -rdc=true\"\n#endif",
                      User->Facts->LibraryFunctionsOfLinker.front()));
    }
    Out.blank();
  }

  llvm::ArrayRef<Constituent> Constituents;
  const FusionPlan &Plan;
  const EmitOptions &Options;
  Writer Out;
  std::set<std::string> Included; ///< Lines that the source has.
};

} // namespace

llvm::Expected<FusedSource> emitFused(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                                      const EmitOptions &Options) {
  TRY(checkIncludes(Constituents, Options));
  return Emitter(Constituents, Plan, Options).run();
}

} // namespace cufuse
