#include "Parts.h"

#include "EmittedCuda.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

std::string launchName(llvm::ArrayRef<Constituent> Constituents, const Constituent &C) {
  return Constituents.size() == 1 ? "launch" : C.Name + "Launch";
}

const PartitionPlan &partitionOf(const FusionPlan &Plan, unsigned I) {
  return *llvm::find_if(Plan.Partitions, [I](const PartitionPlan &P) { return P.Constituent == I; });
}

const PartitionPlan *guessedBlock(const Constituent &C, const FusionPlan &Plan, unsigned I) {
  return Plan.Roles[I].GuessedFrom.empty() || C.Text->Elements ? nullptr : &partitionOf(Plan, I);
}

std::vector<ShapeParameter> plainShape(const Constituent &C, const FusionPlan &Plan) {
  std::vector<ShapeParameter> Shape;
  auto Add = [&](const char *Type, const char *Member) {
    std::string Name = Member;
    while (llvm::any_of(C.Text->Parameters, [&](const ParameterText &P) { return P.Name == Name; }))
      Name += '_';
    Shape.push_back({Type, Member, Name});
  };
  if (!C.Text->Elements)
    Add("dim3", "grid");
  if (guessedBlock(C, Plan, 0))
    Add("dim3", "block");
  if (!C.Facts->DynamicShared.empty())
    Add("size_t", "dynamicSharedBytes");
  Add("cudaStream_t", "stream");
  return Shape;
}

static OutputText fieldOf(const Constituent &C, const ParameterText &P, const std::string &Name,
                          const std::string &Prefix = "") {
  return (P.Opaque ? P.Opaque->Field : P.Field)
      .with(OutputText::Slot::Path, argumentSpace(Name, C))
      .with(OutputText::Slot::Name, Prefix + P.Name);
}

std::string elementCount(const Constituent &C, const std::string &Grid, const std::string &Arguments) {
  const OutputText &Count = C.Text->Elements ? C.Text->Elements->Count : C.Text->Rows->Length;
  const std::string Own = Count.with(OutputText::Slot::Argument, Arguments).text();
  return C.Text->Elements ? Own : fmt::format("1ll * {0}.x * {0}.y * {0}.z * ({1})", Grid, Own);
}

unsigned elementsOfBlock(const Constituent &C, const FusionPlan &Plan, unsigned I) {
  const LaunchElements &Elements = *C.Text->Elements;
  return Elements.PerBlock ? Elements.PerBlock : partitionOf(Plan, I).Block.threads() * Elements.PerThread;
}

std::string LaunchCall::free(std::string Name) const {
  while (Names.contains(Name))
    Name += '_';
  return Name;
}

LaunchCall launchCall(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const std::string &Name,
                      const std::string &Prefix) {
  LaunchCall Call;
  auto Add = [&](const OutputText &Declaration, const std::string &Own) {
    Call.Parameters.push_back(Declaration);
    Call.Arguments.push_back(Own);
    Call.Names.insert(Own);
  };
  if (Constituents.size() > 1) {
    for (const Constituent &C : Constituents)
      Add(fmt::format("const {}::Launch &{}", C.Name, launchName(Constituents, C)), launchName(Constituents, C));
    Add("cudaStream_t stream", "stream");
    return Call;
  }
  const Constituent &C = Constituents.front();
  const auto Shape = plainShape(C, Plan);
  for (const auto &[Type, Member, Own] : llvm::drop_end(Shape)) {
    Add(fmt::format("{} {}", Type, Own), Own);
    Call.Members.push_back(fmt::format("launch.{}", Member));
  }
  for (const ParameterText &P : C.Text->Parameters)
    if (P.Given.empty()) {
      Add(fieldOf(C, P, Name, Prefix), Prefix + P.Name);
      Call.Members.push_back("launch.arguments." + P.Name);
    }
  Add(fmt::format("{} {}", Shape.back().Type, Shape.back().Name), Shape.back().Name);
  return Call;
}

OutputText plainSignature(const Constituent &C, const FusionPlan &Plan, const std::string &Name,
                          const std::string &Space, const std::string &Tail, const std::string &Prefix) {
  const std::string Head = "cudaError_t " + Space + "launch(";
  return wrapped(Head, launchCall(C, Plan, Name, Prefix).Parameters, Tail, Head.size());
}

std::string launchSignature(llvm::ArrayRef<Constituent> Constituents, const std::string &Tail) {
  std::vector<OutputText> Parameters;
  for (const Constituent &C : Constituents)
    Parameters.push_back(fmt::format("const {}::Launch &{}", C.Name, launchName(Constituents, C)));
  Parameters.push_back("cudaStream_t stream");
  const std::string Head = "cudaError_t launch(";
  return wrapped(Head, Parameters, Tail, Head.size()).text();
}

void askMultiprocessors(Writer &Out) {
  Out.write("  int device = 0, multiprocessors = 0;\n"
            "  if (const cudaError_t error = cudaGetDevice(&device))\n"
            "    return error;\n"
            "  if (const cudaError_t error =\n"
            "          cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device))\n"
            "    return error;");
}

std::string argumentSpace(const std::string &Name, const Constituent &C) { return "::" + Name + "::" + C.Name; }

OutputText shapeOf(BlockShape Block) {
  return Block.Y * Block.Z == 1 ? outputText("dim3({})", constant(Block.X))
         : Block.Z == 1 ? outputText("dim3({}, {})", constant(Block.X), constant(Block.Y))
                        : outputText("dim3({}, {}, {})", constant(Block.X), constant(Block.Y), constant(Block.Z));
}

/// Members, those of one type that follow each other in one declaration: `const float *in, *bias;`.
static void emitMembers(Writer &Out, llvm::ArrayRef<std::pair<std::string, std::string>> Members) {
  std::string Before; // the name: `const float *`
  std::vector<OutputText> Names;
  auto End = [&] {
    if (!Names.empty())
      Out.line("{}", wrapped("    " + llvm::StringRef(Before).rtrim('*').str(), Names, ";", 8));
    Names.clear();
  };
  for (const auto &[Declaration, Name] : Members) {
    llvm::StringRef Own = Declaration;
    if (!Own.consume_back(Name))
      Own = "";
    const llvm::StringRef Type = Own.rtrim('*');
    if (Own.empty() || Own != Before || Type.contains('*') || Type.contains('&'))
      End();
    Before = Own.str();
    Names.push_back(Declaration.substr(Type.size()));
  }
  End();
}

void emitArguments(Writer &Out, llvm::ArrayRef<Constituent> Constituents, unsigned I, const FusionPlan &Plan,
                   const std::string &Name) {
  const Constituent &C = Constituents[I];
  const std::string Space = argumentSpace(Name, C);
  if (llvm::any_of(C.Text->Types,
                   [](const ArgumentType &T) { return T.Kind.find("cufuse_isCalled") != std::string::npos; }))
    Out.write(emitted(cuda::TypeName));
  for (const ArgumentType &T : C.Text->Types)
    emitType(Out, T, Space);
  const bool Dynamic = !C.Facts->DynamicShared.empty();
  constexpr std::array Grids = {"grid in x only", "grid in x and y", "grid in up to three dimensions"};
  // Elements are played by the blocks of other kernels.
  std::string OfGrid;
  if (!C.Text->Elements && !elementSpaces(C).empty())
    OfGrid = " of " + llvm::find_if(*C.Parts, [](const ComposedPart &Part) { return !Part.AsElement; })->Name;
  Out.comment(fmt::format(
      "One launch of {}: as <<<grid, block{}>>>{}, {}.", C.Facts->QualifiedName, Dynamic ? ", dynamicSharedBytes" : "",
      OfGrid, C.Text->Elements ? "as many blocks as its elements need" : Grids[gridDimensions(*C.Facts) - 1]));
  Out.line("struct Launch {{\n  dim3 grid;{}", C.Text->Elements ? " ///< Any." : "");
  if (const PartitionPlan *Guessed = guessedBlock(C, Plan, I))
    // The host may know its block by what is not seen here.
    Out.line("  dim3 block = dim3(0); ///< To be said, {}, {}: fused for no other.", shapeOf(Guessed->Block).text(),
             inComment(Plan.Roles[I].GuessedFrom));
  if (Dynamic)
    Out.write("  size_t dynamicSharedBytes = 0;");
  Out.write("  struct Arguments {");
  std::vector<std::pair<std::string, std::string>> Members;
  for (const ParameterText &P : C.Text->Parameters)
    if (P.Given.empty())
      Members.emplace_back(fieldOf(C, P, Name).text(), P.Name);
  emitMembers(Out, Members);
  Out.write("  } arguments;\n};");
  // What the header's reader includes may be configured otherwise than for the kernel.
  for (const auto &[P, Facts] : llvm::zip(C.Text->Parameters, C.Facts->Parameters))
    if (P.Given.empty() && !P.Opaque && P.Name == Facts.Name && Facts.Bytes > 0 && !Facts.Fields.empty() &&
        !Facts.Fields.front().Path.empty())
      Out.line(
          "static_assert(sizeof(Launch::Arguments::{0}) == {1} && alignof(decltype(Launch::Arguments::{0})) == {2},\n"
          "              \"{0} has the size that it has in the kernel's file\");",
          P.Name, Facts.Bytes, Facts.Alignment);
}

} // namespace cufuse
