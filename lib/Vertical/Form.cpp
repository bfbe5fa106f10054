#include "cufuse/Vertical/Form.h"

#include "cufuse/Dependence/BlockLocal.h"
#include "cufuse/Dependence/Sources.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <array>

namespace cufuse {

/// In the order in which they are tried. Pointwise producers of the only row kernel fit two: they are inlined at its
/// loads if no element is computed more often than allowed; by row, each is computed once, and what is changed in place
/// stays in registers between its load and its store. Last comes what hands elements on in memory.
static constexpr const VerticalForm *Forms[] = {&OneLoopForm, &InlineAtStoreForm, &ByRowForm, &InTurnForm};

/// Such a graph has a form of its own.
static bool hasProducts(const VerticalGraph &Graph) {
  return llvm::any_of(Graph.Nodes, [](const VerticalNode &N) { return N.Product; });
}

std::vector<const VerticalForm *> formsFor(const VerticalGraph &Graph) {
  if (hasProducts(Graph))
    return {&ProductsForm};
  std::vector<const VerticalForm *> Taking;
  for (const VerticalForm *Each : Forms)
    if (Each->Takes(Graph))
      Taking.push_back(Each);
  const auto AtLoads = llvm::find(Taking, &InlineAtStoreForm), ByRow = llvm::find(Taking, &ByRowForm);
  if (AtLoads < ByRow && ByRow != Taking.end() &&
      llvm::any_of(Graph.Flows, [&](const Flow &F) { return beginsInMemory(Graph, F.Producer, F.Out); }))
    std::rotate(AtLoads, ByRow, ByRow + 1);
  return Taking;
}

namespace {

/// A flag is no remedy where something stands in the way that no flag allows.
std::vector<Message> withoutFlags(std::vector<Message> Messages) {
  auto IsFlag = [](const Message &M) {
    return llvm::any_of(std::array{BlockerKind::MayAlias, BlockerKind::LiveIntermediate, BlockerKind::Recomputed},
                        [&](BlockerKind Kind) { return M.Rule == blockerName(Kind); });
  };
  if (llvm::any_of(Messages,
                   [&](const Message &M) { return !IsFlag(M) && M.Remedy.find("--link") == std::string::npos; }))
    llvm::erase_if(Messages, IsFlag);
  return Messages;
}

/// A form that was tried, and why it does not fit.
struct Misfit {
  std::string Name;
  std::string Why; ///< In short; otherwise what the first of the messages says.
  std::vector<Message> Messages = {};
  bool Possible = true; ///< If its messages were heeded.

  bool FitsApart = false; ///< Only --distinct is missing.

  /// How far it is from fitting: by the kinds of reasons, but for flags where more is missing. Where an option is all
  /// that is missing, it is nearer than others.
  size_t distance() const {
    std::set<std::string> Rules;
    bool IsByOption = true;
    for (const Message &M : withoutFlags(Messages)) {
      Rules.insert(M.Rule);
      IsByOption &= llvm::StringRef(M.Remedy).starts_with("say --");
    }
    return FitsApart ? 0 : 2 * Rules.size() - IsByOption;
  }
  std::string str() const {
    const llvm::StringRef First = Messages.empty() ? llvm::StringRef() : llvm::StringRef(Messages.front().Text);
    return Name + ": " + (Why.empty() ? First.split(": ").first.str() : Why);
  }
};

/// Would the form fit if all pointers led to distinct memory?
bool fitsApart(const VerticalForm &Form, VerticalGraph Graph, BlockShape Block, const VerticalOptions &Options) {
  for (VerticalNode &N : Graph.Nodes)
    N.Distinct = true;
  return llvm::expectedToOptional(Form.Prove(Graph, Block, Options)).has_value();
}

Misfit withoutLoop(const VerticalGraph &Graph) {
  Misfit Loop{"one loop", "a kernel loads other elements of an intermediate than its own"};
  for (unsigned Node : Graph.Order) {
    const VerticalNode &N = Graph.Nodes[Node];
    if (N.Shape->Shape == KernelShape::Pointwise)
      continue;
    // Rows, what threads do together, and memory that is anybody's stand in the way whatever the indices are.
    const KernelFacts &Facts = *N.Facts;
    Loop.Possible &= N.Shape->Shape == KernelShape::Opaque && Facts.Barriers.empty() && Facts.LibraryBarriers.empty() &&
                     Facts.WarpPrimitives.empty() && Facts.Atomics.empty() && Facts.StaticShared.empty() &&
                     Facts.DynamicShared.empty() && N.Accesses->OtherMemory.empty();
    if (N.Shape->Reasons.empty())
      continue;
    const Finding &First = N.Shape->Reasons.front();
    if (Loop.Messages.empty())
      Loop.Why = fmt::format("{} is not pointwise: {}", N.Name, First.What);
    std::string Fact = N.Name + ": " + First.What;
    if (const size_t All = N.Shape->Reasons.size(); All > 1) // `cufuse inspect` lists them
      Fact += fmt::format(", the first of {} reasons", All);
    Loop.Messages.push_back(Blocker{BlockerKind::NotPointwise, First.Where, Fact}.message());
  }
  return Loop;
}

/// Why linked pointers of a graph cannot be edited, whatever the form is.
llvm::Error editable(const VerticalGraph &Graph) {
  std::vector<Blocker> Escapes;
  for (const Flow &F : Graph.Flows)
    for (const auto &[Node, Name] : {std::pair(F.Producer, F.Out), {F.Consumer, F.In}}) {
      const ParameterAccess &P = *Graph.Nodes[Node].parameter(Name);
      for (const Finding &Each : P.Otherwise)
        Escapes.push_back(
            {BlockerKind::IntermediateEscapes, Each.Where, fmt::format("{}: {}", Graph.Nodes[Node].Name, Each.What)});
      if (P.Volatile) // which no object that stands for it is
        Escapes.push_back({BlockerKind::IntermediateEscapes, Graph.Nodes[Node].Facts->Where,
                           fmt::format("{}.{} points to volatile memory", Graph.Nodes[Node].Name, Name)});
      if (!P.Kept)
        return refuse({BlockerKind::LinkedElement, Graph.Nodes[Node].Facts->Where,
                       fmt::format("{}.{} is {}", Graph.Nodes[Node].Name, Name, P.Type)});
    }
  if (!Escapes.empty())
    return refuse(Escapes);
  return !rowConsumer(Graph) && !Graph.OneLoop ? requireTree(Graph) : llvm::Error::success();
}

/// Two names that a kernel has for one array, which it stores to.
struct TwoNames {
  unsigned Node;
  std::string First, Second;
};
std::vector<TwoNames> arraysOfTwoNames(const VerticalGraph &Graph) {
  std::vector<TwoNames> All;
  for (unsigned I = 0; I < Graph.Nodes.size(); ++I)
    for (const ParameterAccess &A : Graph.Nodes[I].Accesses->Parameters)
      for (const ParameterAccess &B : Graph.Nodes[I].Accesses->Parameters)
        if (const VerticalNode &N = Graph.Nodes[I]; &A < &B && !N.Product && !A.Element.empty() && !B.Element.empty() &&
                                                    (N.stores(A.Name) || N.stores(B.Name)) &&
                                                    Graph.memory(I, A.Name) == Graph.memory(I, B.Name))
          All.push_back({I, A.Name, B.Name});
  return All;
}

} // namespace

llvm::Expected<FormProof> proveForm(const VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options) {
  // Where a load by one of them may follow a store by the other, no register shows that.
  const std::vector<TwoNames> Twice = arraysOfTwoNames(Graph);
  const auto Late = llvm::find_if(Twice, [&](const TwoNames &Of) {
    const VerticalNode &N = Graph.Nodes[Of.Node];
    return !isLoadedFirst(N, Of.First, Of.Second) && !isLoadedFirst(N, Of.Second, Of.First);
  });
  if (Late != Twice.end() && (Options.InRegisters || hasProducts(Graph)))
    return badInput(fmt::format("{0}.{1} and {0}.{2} are one array, which is in memory", Graph.Nodes[Late->Node].Name,
                                Late->First, Late->Second),
                    "use --cooperative, or another array for one", Graph.Nodes[Late->Node].Facts->Where);
  // Nor is it there to be loaded again where a consumer does.
  const bool IsMadeOnce = llvm::any_of(Twice, [&](const TwoNames &Of) { return Graph.isBefore(Of.Node); });
  if (hasProducts(Graph)) {
    TRY(Graph.OneLoop ? editable(Graph) : llvm::Error::success());
    return ProductsForm.Prove(Graph, Block, Options);
  }
  const bool OnlyInMemory = Options.InMemory || Late != Twice.end();
  std::vector<Misfit> Tried, InMemory;
  llvm::Error Only = editable(Graph); // the reason, where there is but one
  for (const VerticalForm *Form : formsFor(Graph)) {
    if (Form->EditsLinked ? OnlyInMemory || bool(Only) : Options.InRegisters)
      continue;
    if (Form == &InlineAtStoreForm && IsMadeOnce)
      continue;
    auto Proof = Form->Prove(Graph, Block, Options);
    if (Proof) {
      llvm::consumeError(std::move(Only));
      return Proof;
    }
    Misfit Own{Form->Name(Graph), ""};
    ExitCode Code = ExitCode::BadInput;
    llvm::handleAllErrors(Proof.takeError(), [&](const Failure &Each) {
      Code = Each.Code;
      Own.Messages = Each.Messages;
    });
    auto IsOther = [](const Message &M) { return M.Rule != blockerName(BlockerKind::MayAlias); };
    Own.FitsApart = !llvm::all_of(Own.Messages, IsOther) && fitsApart(*Form, Graph, Block, Options);
    if (Own.FitsApart)
      llvm::erase_if(Own.Messages, IsOther); // which go with the flag, too
    // What hands elements on in memory is not what one hopes for.
    Own.Possible = Form->EditsLinked || Own.FitsApart;
    if (Form->EditsLinked && (Graph.OneLoop || Code != ExitCode::BadInput)) // no other such form is possible
      Only = llvm::make_error<Failure>(Code, withoutFlags(Own.Messages));
    else
      (Form->EditsLinked ? Tried : InMemory).push_back(std::move(Own));
    // Of two that are as near, its reasons say more.
    if (Form == &InlineAtStoreForm && Tried.size() > 1)
      std::swap(Tried.front(), Tried.back());
  }
  if (OnlyInMemory && !InMemory.empty()) {
    llvm::consumeError(std::move(Only));
    return llvm::make_error<Failure>(ExitCode::BadInput, std::move(InMemory.front().Messages));
  }
  if (Only && (Graph.OneLoop || InMemory.empty()))
    return std::move(Only);
  if (Only)
    return llvm::handleErrors(std::move(Only), [&](const Failure &Each) {
      std::vector<Message> Both = Each.Messages;
      if (Each.Code == ExitCode::BadInput)
        llvm::append_range(Both, InMemory.front().Messages);
      return llvm::make_error<Failure>(Each.Code, std::move(Both));
    });
  Tried.push_back(withoutLoop(Graph));
  if (!rowConsumer(Graph))
    Tried.push_back({"by row", "no kernel that takes an intermediate works on rows, a block each"});
  llvm::append_range(Tried, InMemory);
  std::vector<std::string> All;
  const Misfit *Nearest = nullptr;
  for (const Misfit &Each : Tried) {
    All.push_back(Each.str());
    if (Each.Possible && !Each.Messages.empty() && (!Nearest || Each.distance() < Nearest->distance()))
      Nearest = &Each;
  }
  if (!Nearest)
    Nearest = &Tried.front();
  std::vector<Message> Messages = withoutFlags(Nearest->Messages);
  Messages.insert(Messages.begin(),
                  {{},
                   "",
                   fmt::format("no form fits: {}; the reasons of the nearest, {}, follow (--cooperative needs no form)",
                               llvm::join(All, "; "), Nearest->Name)});
  return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Messages));
}

} // namespace cufuse
