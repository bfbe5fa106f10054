#include "cufuse/Driver/Pipeline.h"
#include "cufuse/Vertical/ComposeRows.h"
#include "cufuse/Vertical/LoopLegality.h"
#include "cufuse/Vertical/OneLoop.h"
#include "cufuse/Vertical/Streams.h"

#include <fmt/format.h>
#include <llvm/Support/Path.h>

namespace cufuse {

llvm::Expected<VerticalGraph> graphOf(llvm::ArrayRef<LoadedKernel> Kernels, const FuseRequest &Request) {
  std::vector<const KernelFacts *> Facts;
  for (const LoadedKernel &Kernel : Kernels) {
    // What cannot be read has no parameters to link.
    if (Kernel.Accesses.Parameters.size() != Kernel.Facts.Parameters.size())
      if (llvm::Error Error = checkAll(Kernels))
        return std::move(Error);
    Facts.push_back(&Kernel.Facts);
  }
  const std::vector<std::string> Names = constituentNames(Facts);
  std::vector<VerticalNode> Nodes;
  for (size_t I = 0; I < Kernels.size(); ++I)
    Nodes.push_back({Names[I], &Kernels[I].Facts, &Kernels[I].Accesses, &Kernels[I].Shape, Request.Distinct});
  auto Graph = linkKernels(std::move(Nodes), Request.Links, Request.Dead);
  if (Graph && !Request.Composition.Cooperative && !rowConsumer(*Graph) && !Graph->OneLoop)
    if (llvm::Error Error = requireTree(*Graph))
      return std::move(Error);
  return Graph;
}

static llvm::Error refused(const Blocker &Reason) {
  return llvm::make_error<Failure>(ExitCode::BadInput, std::vector<Message>{Reason.message()});
}

namespace {
/// How the kernels of a graph become one, with what was proved for that.
struct Form {
  std::vector<AtMost> Requirements;   ///< In one loop or inlined.
  std::optional<BlockLocalPlan> Rows; ///< By row.
};
} // namespace

static llvm::Expected<Form> inlined(const VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options) {
  if (llvm::Error Error = requireTree(Graph))
    return std::move(Error);
  auto Requirements = checkInlineAtStore(Graph, Block, Options.Recompute);
  if (!Requirements)
    return Requirements.takeError();
  return Form{std::move(*Requirements), std::nullopt};
}

/// Pointwise producers of the only row kernel fit two forms: they are inlined at its loads if no element is computed
/// more often than allowed; by row, each is computed once.
static llvm::Expected<Form> formOf(const VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options) {
  for (const Flow &F : Graph.Flows)
    for (const auto &[Node, Name] : {std::pair(F.Producer, F.Out), {F.Consumer, F.In}})
      if (const ParameterAccess &P = *Graph.Nodes[Node].parameter(Name); !P.Kept)
        return refused({BlockerKind::LinkedElement, Graph.Nodes[Node].Facts->Where,
                        fmt::format("{}.{} is {}", Graph.Nodes[Node].Name, Name, P.Type)});
  if (Graph.OneLoop) {
    auto Requirements = checkOneLoop(Graph, loopWidth(Graph, Options.Vectorize));
    if (!Requirements)
      return Requirements.takeError();
    return Form{std::move(*Requirements), std::nullopt};
  }
  if (!rowConsumer(Graph))
    return inlined(Graph, Block, Options);
  auto ByRow = [&]() -> llvm::Expected<Form> {
    auto Plan = planBlockLocal(Graph, Block);
    if (!Plan)
      return Plan.takeError();
    return Form{{}, std::move(*Plan)};
  };
  if (Graph.Before.empty())
    return ByRow();
  auto Inlined = inlined(Graph, Block, Options);
  if (Inlined)
    return Inlined;
  auto Rows = ByRow();
  if (!Rows)
    return llvm::joinErrors(Inlined.takeError(), Rows.takeError());
  llvm::consumeError(Inlined.takeError());
  return Rows;
}

/// What a parameter is in the fused kernel, by those of it that are no other kernel's.
static std::string given(const VerticalGraph &Graph, unsigned Node, const std::string &Parameter) {
  if (const Flow *F = Graph.flowTo(Node, Parameter))
    return given(Graph, F->Producer, F->Out);
  const SharedArgument *S = Graph.sharedTo(Node, Parameter);
  if (!S)
    return Graph.Nodes[Node].Name + "_" + Parameter;
  return argumentText(Graph, *S, [&](unsigned Of, const std::string &Factor) { return given(Graph, Of, Factor); });
}

/// The same, as the parameter's type: what an earlier kernel only loads, a later one may store.
static std::string givenAs(const VerticalGraph &Graph, unsigned Node, const ParameterText &P) {
  return pointerText(Graph, Node, P.Name, P.Element.written(), given(Graph, Node, P.Name));
}

/// A type that is copied with each kernel is another type for each, unless it only has a name of its own there.
static llvm::Error checkCommonType(const VerticalNode &Node, const ParameterText &P) {
  const ParameterAccess &Type = *Node.parameter(P.Name);
  if (!P.Declaration.has(OutputText::Slot::Path) || Type.BuiltinType)
    return llvm::Error::success();
  return refused({BlockerKind::LinkedTypes, Node.Facts->Where,
                  fmt::format("{}.{} is {}, which stands in the kernel's file itself", Node.Name, P.Name, Type.Type)});
}

llvm::Error linkInMemory(llvm::MutableArrayRef<LoadedKernel> Kernels, const FuseRequest &Request) {
  auto Linked = graphOf(Kernels, Request);
  if (!Linked)
    return Linked.takeError();
  const VerticalGraph &Graph = *Linked;
  for (const Flow &F : Graph.Flows) {
    const std::string Out = Graph.Nodes[F.Producer].Name + "." + F.Out;
    if (F.Dead)
      return badUsage(fmt::format("{} is dead, but with --cooperative it is handed on in memory", Out),
                      "leave --dead away");
    if (F.Producer > F.Consumer)
      return badUsage(fmt::format("{} reads {} before it is stored", Graph.Nodes[F.Consumer].Name, Out),
                      "with --cooperative, write the kernels in the order in which they run");
  }
  for (unsigned Node = 0; Node < Kernels.size(); ++Node)
    for (ParameterText &P : Kernels[Node].Text.Parameters)
      if (Graph.flowTo(Node, P.Name) || Graph.sharedTo(Node, P.Name)) {
        if (llvm::Error Error = checkCommonType(Graph.Nodes[Node], P))
          return Error;
        P.Given = givenAs(Graph, Node, P);
      }
  return llvm::Error::success();
}

std::vector<LinkedText> linkedTexts(const VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options) {
  if (Options.Cooperative)
    return std::vector<LinkedText>(Graph.Nodes.size());
  std::vector<LinkedText> Texts;
  if (rowConsumer(Graph)) {
    auto Found = formOf(Graph, Block, Options);
    for (unsigned I = 0; Found && Found->Rows && I < Graph.Nodes.size(); ++I)
      Texts.push_back(linkedByRow(Graph, *Found->Rows, I));
    if (!Found) // said by `composeKernels`
      llvm::consumeError(Found.takeError());
  }
  for (unsigned I = Texts.size(); I < Graph.Nodes.size(); ++I)
    Texts.push_back(Graph.OneLoop ? linkedInLoop(Graph, I) : LinkedText{linkedParameters(Graph, I), {}, {}});
  return Texts;
}

llvm::Expected<LoadedKernel> composeKernels(const VerticalGraph &Graph, llvm::ArrayRef<LoadedKernel> Kernels,
                                            BlockShape Block, const VerticalOptions &Options) {
  auto Found = formOf(Graph, Block, Options);
  if (!Found)
    return Found.takeError();
  std::vector<const Closure *> Texts;
  std::vector<Constituent> Constituents;
  for (size_t I = 0; I < Kernels.size(); ++I) {
    Texts.push_back(&Kernels[I].Text);
    Constituents.push_back({Graph.Nodes[I].Name, &Kernels[I].Facts, &Kernels[I].Text});
  }
  if (llvm::Error Error = checkIncludes(Constituents))
    return std::move(Error);
  std::vector<std::pair<unsigned, std::string>> Common;
  for (const Flow &F : Graph.Flows)
    Common.push_back({F.Consumer, F.In});
  for (const SharedArgument &S : Graph.Shared)
    Common.push_back({S.To, S.Parameter});
  if (Graph.OneLoop)
    for (const Stream &S : planStreams(Graph))
      Common.insert(Common.end(), S.Users.begin() + 1, S.Users.end());
  for (const auto &[Node, Name] : Common)
    for (const ParameterText &P : Kernels[Node].Text.Parameters)
      if (P.Name == Name)
        if (llvm::Error Error = checkCommonType(Graph.Nodes[Node], P))
          return std::move(Error);
  if (Options.EvictLast && (!Found->Rows || Found->Rows->Inputs.empty()))
    return badUsage("--evict-last is for rows that are loaded into registers, and none is here", "leave it away");
  ComposedKernel One = Found->Rows ? composeRows(Graph, *Found->Rows, Block, Texts, Options.EvictLast)
                       : Graph.OneLoop
                           ? composeLoop(Graph, Texts, Found->Requirements, loopWidth(Graph, Options.Vectorize))
                           : inlineAtStore(Graph, Texts, Found->Requirements);
  const LoadedKernel &Root = Kernels[Graph.Root];
  LoadedKernel Result{Root.Spec, std::move(One.Facts), std::move(One.Text), Root.Flags, Root.Arch, {}, {}, {}};
  Result.Predefined = mergePredefined(Kernels);
  for (unsigned Node : Graph.Order) {
    const LoadedKernel &Kernel = Kernels[Node];
    Result.Parts.push_back(
        {Graph.Nodes[Node].Name, Kernel.Facts, Kernel.Parsed, Kernel.Linked, One.AsElement.count(Node) > 0});
    Result.Errors.insert(Kernel.Errors.begin(), Kernel.Errors.end());
    if (Node == Graph.Root)
      continue;
    const llvm::StringRef Folder = llvm::sys::path::parent_path(Kernel.Spec.File);
    Result.OtherFolders.push_back(Folder.empty() ? "." : Folder.str());
    mergeSettings(Result.Flags, Kernel.Flags);
  }
  return Result;
}

} // namespace cufuse
