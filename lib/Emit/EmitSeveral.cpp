#include "cufuse/Emit/EmitSeveral.h"

#include "Parts.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

/// Of `PerThread` elements each: so many accesses of a thread are under way at a time without keeping it waiting.
constexpr unsigned FewAccesses = 4;

/// `Included`: those whose headers the source includes, beside its own.
Writer sourceOf(llvm::ArrayRef<Constituent> Kernels, llvm::ArrayRef<LaunchedOutput> Included,
                const EmitOptions &Options, llvm::function_ref<void(Writer &)> Emit) {
  Writer Out(Options.SourceFile, false);
  writeHead(Out, Kernels, Options);
  if (Options.Apart)
    Out.line("#include <cstdlib>\n#include <string>");
  Out.line("#include \"{}\"", Options.HeaderFile);
  for (const LaunchedOutput &Each : Included)
    Out.line("#include \"{}\"", Each.Options.HeaderFile);
  Out.blank();
  writeOurs(Out, Kernels, Options, [&](Writer &Own) {
    Own.line("namespace {} {{", Options.Name);
    inOwnSpace(Own, [&] {
      Emit(Own);
      if (Options.Apart)
        defineApart(Own, Options);
    });
    Own.line("}} // namespace {}", Options.Name);
  });
  return Out;
}

FusedSource withHashes(const Writer &Source, std::string Header) {
  FusedSource Fused{Source.text(), std::move(Header), Source.structure()};
  writeHashes(Fused);
  return Fused;
}

class BySizeEmitter {
public:
  BySizeEmitter(llvm::ArrayRef<LaunchedOutput> Outputs, const EmitOptions &Options)
      : Outputs(Outputs), Options(Options), Kernel(*Outputs.front().Of) {}

  FusedSource run() {
    Writer Out = sourceOf(Kernel, Outputs, Options, [&](Writer &Own) {
      for (const LaunchedOutput &Each : Outputs)
        output(Own, Each);
      launch(Own);
      plainLaunch(Own);
    });
    return withHashes(Out, emitHeader(Kernel, *Outputs.front().Plan, Options));
  }

private:
  static std::string function(const LaunchedOutput &Each) { return "by_" + Each.Options.Name; }

  static unsigned turn(const LaunchedOutput &Each) { return elementsOfBlock(*Each.Of, *Each.Plan, 0); }
  /// Threads of a row.
  static unsigned threads(const LaunchedOutput &Each) { return Each.Plan->Partitions.front().Block.threads(); }

  void output(Writer &Own, const LaunchedOutput &Each) const {
    const std::string Space = fmt::format("::{}::{}", Each.Options.Name, Each.Of->Name);
    std::vector<OutputText> Members = launchCall(Kernel, *Each.Plan, Options.Name).Members;
    Members.push_back("stream");
    Own.line("static cudaError_t {}(const {}::Launch &launch, cudaStream_t stream) {{", function(Each), Kernel.Name);
    const std::string Head = fmt::format("  return {}::launch(", Space);
    Own.line("{}\n}}", wrapped(Head, Members, ");", Head.size()));
  }

  void launch(Writer &Own) const {
    const bool IsMeasured = Outputs.back().From > 0, ByElements = Kernel.Text->Elements.has_value();
    // From the one that is for many elements, or for long rows, on.
    auto Sorted = llvm::to_vector(llvm::make_pointer_range(Outputs));
    llvm::stable_sort(Sorted, [&](const LaunchedOutput *A, const LaunchedOutput *B) {
      return !IsMeasured && (ByElements ? turn(*A) > turn(*B) : threads(*A) < threads(*B));
    });
    Own.line("\nstatic cudaError_t choose(const {}::Launch &launch, cudaStream_t stream) {{\n"
             "  cudaError_t (*const ways[])(const {}::Launch &, cudaStream_t) = {{{}}};",
             Kernel.Name, Kernel.Name,
             llvm::join(llvm::map_range(Sorted, [](const LaunchedOutput *Each) { return function(*Each); }), ", "));
    std::vector<std::string> Limits;
    for (const auto &[Each, Next] : llvm::zip(llvm::ArrayRef(Sorted).drop_back(), llvm::drop_begin(Sorted)))
      Limits.push_back(std::to_string(IsMeasured   ? Next->From
                                      : ByElements ? turn(*Each)
                                                   : threads(*Each) * Kernel.Text->Rows->PerThread * FewAccesses));
    const std::string Count =
        ByElements || IsMeasured
            ? elementCount(Kernel, "launch.grid", "launch.arguments.")
            : Kernel.Text->Rows->Length.with(OutputText::Slot::Argument, "launch.arguments.").text();
    Own.line("  const long long {} = {};\n  const long long limits[] = {{{}}};",
             ByElements || IsMeasured ? "elements" : "length", Count, llvm::join(Limits, ", "));
    if (ByElements && !IsMeasured)
      askMultiprocessors(Own);
    const auto [Why, Goes] =
        IsMeasured   ? std::pair("From so many elements on, as measured.", "elements >= limits[best]")
        : ByElements ? std::pair("As many elements in a block as leave one for every multiprocessor.",
                                 "elements < limits[best] * multiprocessors")
                     : std::pair("As few threads as have few elements of a row each.", "length > limits[best]");
    Own.line("  // {}\n"
             "  unsigned best = 0;\n"
             "  while (best < sizeof limits / sizeof *limits && {})\n"
             "    ++best;",
             Why, Goes);
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

  llvm::ArrayRef<LaunchedOutput> Outputs;
  const EmitOptions &Options;
  const Constituent &Kernel;
};

} // namespace

FusedSource emitBySize(llvm::ArrayRef<LaunchedOutput> Outputs, const EmitOptions &Options) {
  return BySizeEmitter(Outputs, Options).run();
}

FusedSource emitOverlapped(llvm::ArrayRef<LaunchedOutput> Outputs, const EmitOptions &Options) {
  std::vector<Constituent> Kernels;
  for (const LaunchedOutput &Each : Outputs) {
    Kernels.push_back(*Each.Of);
    Kernels.back().Name = Each.Name;
  }
  Writer Header(Options.HeaderFile, false);
  writeHead(Header, Kernels, Options);
  Header.line("#pragma once\n");
  for (const LaunchedOutput &Each : Outputs)
    Header.line("#include \"{}\"", Each.Options.HeaderFile);
  Header.blank();
  writeOurs(Header, Kernels, Options, [&](Writer &Own) {
    Own.line("namespace {} {{", Options.Name);
    inOwnSpace(Own, [&] {
      for (const LaunchedOutput &Each : Outputs)
        Own.line("namespace {} {{ using ::{}::{}::Launch; }}", Each.Name, Each.Options.Name, Each.Of->Name);
      Own.line("\n/// Launches each kernel by itself, in this order. A launch begins while the one before it ends, and "
               "waits for its end\n/// before it does anything. Returns the first error, as the kernel's own launch "
               "does: those behind are not launched.\n{}\n",
               launchSignature(Kernels, " = nullptr);"));
    });
    Own.line("}} // namespace {}", Options.Name);
  });
  const Writer Source = sourceOf(Kernels, {}, Options, [&](Writer &Own) {
    Own.write(launchSignature(Kernels, ") {"));
    for (size_t I = 0; I < Outputs.size(); ++I) {
      const std::string Call =
          fmt::format("::{}::launch({}, stream)", Outputs[I].Options.Name, launchName(Kernels, Kernels[I]));
      Own.write(I + 1 == Outputs.size() ? fmt::format("  return {};\n}}", Call)
                                        : fmt::format("  if (const cudaError_t error = {})\n    return error;", Call));
    }
  });
  return withHashes(Source, Header.text());
}

} // namespace cufuse
