#include "cufuse/Emit/EmitBySize.h"

#include "Parts.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

/// Of `PerThread` elements each: so many accesses of a thread are under way at a time without keeping it waiting.
constexpr unsigned FewAccesses = 4;

class BySizeEmitter {
public:
  BySizeEmitter(llvm::ArrayRef<SizedOutput> Outputs, const EmitOptions &Options)
      : Outputs(Outputs), Options(Options), Kernel(*Outputs.front().Of), Out(Options.SourceFile, false) {}

  FusedSource run() {
    writeHead(Out, Kernel, Options);
    for (const char *Header : {"cstdlib", "string"})
      if (Options.Apart)
        Out.line("#include <{}>", Header);
    Out.line("#include \"{}\"", Options.HeaderFile);
    for (const SizedOutput &Each : Outputs)
      Out.line("#include \"{}\"", Each.Options.HeaderFile);
    Out.blank();
    writeOurs(Out, Kernel, Options, [&](Writer &Own) {
      Own.line("namespace {} {{", Options.Name);
      Own.blank();
      inOwnSpace(Own, [&] {
        for (const SizedOutput &Each : Outputs)
          output(Own, Each);
        launch(Own);
        plainLaunch(Own);
        if (Options.Apart)
          defineApart(Own, Options);
      });
      Own.line("}} // namespace {}", Options.Name);
    });
    FusedSource Fused{Out.text(), emitHeader(Kernel, *Outputs.front().Plan, Options), Out.structure()};
    writeHashes(Fused);
    return Fused;
  }

private:
  static std::string function(const SizedOutput &Each) { return "by_" + Each.Options.Name; }

  static unsigned turn(const SizedOutput &Each) { return elementsOfBlock(*Each.Of, *Each.Plan, 0); }
  /// Threads of a row.
  static unsigned threads(const SizedOutput &Each) { return Each.Plan->Partitions.front().Block.threads(); }

  void output(Writer &Own, const SizedOutput &Each) const {
    const std::string Space = fmt::format("::{}::{}", Each.Options.Name, Each.Of->Name);
    std::vector<OutputText> Members = launchCall(Kernel, *Each.Plan, Options.Name).Members;
    Members.push_back("stream");
    Own.line("static cudaError_t {}(const {}::Launch &launch, cudaStream_t stream) {{", function(Each), Kernel.Name);
    const std::string Head = fmt::format("  return {}::launch(", Space);
    Own.line("{}\n}}", wrapped(Head, Members, ");", Head.size()));
  }

  void launch(Writer &Own) const {
    const bool ByElements = Kernel.Text->Elements.has_value();
    // From the one that is for many elements, or for long rows, on.
    std::vector<const SizedOutput *> Sorted;
    for (const SizedOutput &Each : Outputs)
      Sorted.push_back(&Each);
    llvm::stable_sort(Sorted, [&](const SizedOutput *A, const SizedOutput *B) {
      return ByElements ? turn(*A) > turn(*B) : threads(*A) < threads(*B);
    });
    Own.line("\nstatic cudaError_t choose(const {}::Launch &launch, cudaStream_t stream) {{\n"
             "  cudaError_t (*const ways[])(const {}::Launch &, cudaStream_t) = {{{}}};",
             Kernel.Name, Kernel.Name,
             llvm::join(llvm::map_range(Sorted, [](const SizedOutput *Each) { return function(*Each); }), ", "));
    std::vector<std::string> Limits;
    for (const SizedOutput *Each : llvm::ArrayRef(Sorted).drop_back())
      Limits.push_back(
          std::to_string(ByElements ? turn(*Each) : threads(*Each) * Kernel.Text->Rows->PerThread * FewAccesses));
    const OutputText Count = (ByElements ? Kernel.Text->Elements->Count : Kernel.Text->Rows->Length)
                                 .with(OutputText::Slot::Argument, "launch.arguments.");
    Own.line("  const long long {} = {};\n  const long long limits[] = {{{}}};", ByElements ? "elements" : "length",
             Count, llvm::join(Limits, ", "));
    if (ByElements)
      askMultiprocessors(Own);
    Own.write(ByElements
                  ? "  // As many elements in a block as leave one for every multiprocessor.\n"
                    "  unsigned best = 0;\n"
                    "  while (best < sizeof limits / sizeof *limits && elements < limits[best] * multiprocessors)\n"
                    "    ++best;"
                  : "  // As few threads as have few elements of a row each.\n"
                    "  unsigned best = 0;\n"
                    "  while (best < sizeof limits / sizeof *limits && length > limits[best])\n"
                    "    ++best;");
    Own.line("  // Where that is not for the launch, the others are.\n"
             "  cudaError_t error = cudaErrorInvalidConfiguration;\n"
             "  for (unsigned i = 0; i < {0} && error == cudaErrorInvalidConfiguration; ++i)\n"
             "    error = ways[(best + i) % {0}](launch, stream);\n"
             "  return error;\n}}",
             Outputs.size());
  }

  void plainLaunch(Writer &Own) const {
    const FusionPlan &Plan = *Outputs.front().Plan;
    const auto OfShape = plainShape(Kernel, Plan);
    std::vector<OutputText> Shape, Arguments;
    if (Kernel.Text->Elements)
      Shape.push_back("{}");
    for (const ShapeParameter &P : llvm::drop_end(OfShape))
      Shape.push_back(P.Name);
    for (const ParameterText &P : Kernel.Text->Parameters)
      if (P.Given.empty())
        Arguments.push_back(P.Name);
    Shape.push_back("{" + joined(Arguments, ", ") + "}");
    Own.line("\n{}", plainSignature(Kernel, Plan, Options.Name, Kernel.Name + "::", ") {"));
    const OutputText Head = outputText("  return ::{}::choose({{", Options.Name);
    Own.line("{}\n}}", wrapped(Head, Shape, outputText("}}, {});", OfShape.back().Name), Head.written().size()));
  }

  llvm::ArrayRef<SizedOutput> Outputs;
  const EmitOptions &Options;
  const Constituent &Kernel;
  Writer Out;
};

} // namespace

FusedSource emitBySize(llvm::ArrayRef<SizedOutput> Outputs, const EmitOptions &Options) {
  return BySizeEmitter(Outputs, Options).run();
}

} // namespace cufuse
