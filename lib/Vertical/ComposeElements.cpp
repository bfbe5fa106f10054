#include "ComposeElements.h"
#include "EmittedCuda.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

std::vector<KnownCondition> knownConditions(const VerticalNode &Node) {
  std::vector<KnownCondition> Known;
  for (const AccessSite &Site : Node.Accesses->Sites)
    for (size_t I = 0; I < Site.Path.size(); ++I) {
      const PathStep &Step = Site.Path[I];
      // A loop that is repeated begins anew each time.
      const bool Once = llvm::all_of(llvm::ArrayRef(Site.Path).take_front(I),
                                     [](const PathStep &Around) { return Around.What == PathStep::Kind::Branch; });
      const bool OfGrid =
          Step.What == PathStep::Kind::Loop && Node.Shape->Strided && Step.Id == Node.Shape->Loop && Once;
      if (!Step.Statement || (Step.What != PathStep::Kind::Branch && !OfGrid) ||
          !holdsOnWholeTurns(Site, I, *Node.Accesses, *Node.Shape) ||
          llvm::any_of(Known, [&](const KnownCondition &K) { return K.Statement == *Step.Statement; }))
        continue;
      using Kind = KnownCondition::Kind;
      Known.push_back({OfGrid ? Kind::Once : Step.Taken ? Kind::Holds : Kind::Fails, *Step.Statement});
    }
  return Known;
}

std::vector<Given> askedConditions(llvm::ArrayRef<KnownCondition> Known) {
  using Kind = KnownCondition::Kind;
  auto Asks = [&](Kind What) { return llvm::any_of(Known, [&](const KnownCondition &K) { return K.What == What; }); };
  if (Known.empty())
    return {};
  return {{"HOLDS", Asks(Kind::Holds)}, {"FAILS", Asks(Kind::Fails)}, {"ONCE", Asks(Kind::Once)}};
}

void editStreams(FormProof &Proof, llvm::ArrayRef<Stream> Streams) {
  for (const Stream &S : Streams) {
    for (const auto &[User, Parameter] : S.Users)
      Proof.Edits[User].Parameters.push_back(Parameter);
    Proof.Shared.insert(Proof.Shared.end(), S.Users.begin() + 1, S.Users.end());
  }
}

bool changesGroups(const VerticalGraph &Graph) {
  return llvm::any_of(Graph.Nodes, [](const VerticalNode &N) {
    return N.Shape->Width > 1 && llvm::any_of(N.Accesses->Sites, [](const AccessSite &Site) { return Site.Compound; });
  });
}

std::vector<std::string> loadedAside(const VerticalGraph &Graph, unsigned Node, llvm::ArrayRef<Stream> Streams) {
  const VerticalNode &N = Graph.Nodes[Node];
  std::vector<std::string> Names;
  for (const ParameterAccess &P : N.Accesses->Parameters) {
    const std::vector<const AccessSite *> Sites = N.sites(P.Name);
    if (N.Shape->Width > 1 && !P.Element.empty() && P.Parts == 1 && P.ReadOnly && P.Kept && P.Otherwise.empty() &&
        !P.Volatile && !streamOf(Streams, Node, P.Name) && !Graph.flowTo(Node, P.Name) && !Sites.empty() &&
        llvm::all_of(Sites, [](const AccessSite *Site) {
          return Site->What == AccessSite::Kind::Load && Site->Direct && !Site->Compound && Site->Width > 1;
        }))
      Names.push_back(P.Name);
  }
  return Names;
}

bool ElementComposer::remains(unsigned Node, const std::string &Parameter) const {
  return !Graph.Nodes[Node].known(Parameter) &&
         (!streamOf(Streams, Node, Parameter) ||
          llvm::any_of(
              Streams,
              [&](const Stream &S) { return (S.Loads || S.Stores) && memoryOf(S) == std::pair(Node, Parameter); }) ||
          !Graph.isIntermediate(Node, Parameter));
}

void ElementComposer::elementFacts() {
  KernelFacts &Facts = Result.Facts;
  for (Builtin B : {Builtin::ThreadIdx, Builtin::BlockDim})
    Facts.Reads[static_cast<size_t>(B)] = {true, true, true};
  Facts.ReadByHelper = {}; // they have it from the kernel
}

void ElementComposer::objects() {
  for (unsigned Node : Graph.Order)
    parameters(Node, [&](const std::string &Name) { return remains(Node, Name); });
  elementObjects();
  std::vector<KnownCondition> Known;
  for (const VerticalNode &N : Graph.Nodes)
    llvm::append_range(Known, knownConditions(N));
  file(cuda::Turn, askedConditions(Known));
  file(cuda::ElementGroups, {{"CHANGED", changesGroups(Graph)}});
}

void ElementComposer::texts() {
  for (unsigned Node : Graph.Order)
    if (!Graph.Nodes[Node].Product)
      text(Node, aliases(Node), /*AsElement=*/true);
}

OutputText ElementComposer::aliases(unsigned Node) const {
  std::vector<OutputText> Lines;
  const VerticalNode &N = Graph.Nodes[Node];
  for (const ParameterAccess &P : N.Accesses->Parameters)
    if (streamOf(Streams, Node, P.Name)) {
      const OutputText T = element(Node, P.Name);
      Lines.push_back(object(Node, P.Name,
                             N.Shape->Width == 1
                                 ? outputText("CufuseElement<{}{}>", P.ReadOnly ? "const " : "", T)
                                 : outputText("CufuseElements<{}, {}, {}>", T, N.Shape->Width, P.ReadOnly)));
    }
  for (const std::string &Name : loadedAside(Graph, Node, Streams))
    Lines.push_back(object(Node, Name, outputText("CufuseInMemory<{}>", element(Node, Name))));
  return joined(Lines, "\n");
}

std::string ElementComposer::memory(const Stream &S) const {
  // One of those that have it may store what the one that has the argument only loads.
  const auto Storing = llvm::find_if(
      S.Users, [&](const auto &User) { return !Graph.Nodes[User.first].parameter(User.second)->ReadOnly; });
  const auto &[User, Name] = Storing != S.Users.end() ? *Storing : S.Users.front();
  const auto [Node, Parameter] = memoryOf(S);
  return inElements(User, Name, argument(Node, Parameter));
}

OutputText ElementComposer::call(unsigned Node, const OutputText &Head, const std::string &At, const std::string &Turn,
                                 llvm::function_ref<std::string(const Stream &)> Given) const {
  std::vector<OutputText> Arguments;
  if (asksTurn(Graph.Nodes[Node]))
    Arguments.push_back("{" + Turn + "}");
  llvm::append_range(Arguments, elementIndices(Node, At, Graph.Nodes[Node].Shape->Width));
  for (const ParameterText &P : Texts[Node]->Parameters)
    if (const auto S = streamOf(Streams, Node, P.Name))
      Arguments.push_back("{" + Given(Streams[*S]) + "}");
    else if (llvm::is_contained(loadedAside(Graph, Node, Streams), P.Name))
      Arguments.push_back("{" + argument(Node, P.Name) + "}");
    else
      Arguments.push_back(argument(Node, P.Name));
  return wrapped(Head + callee(Node) + "(", Arguments, ");", 8);
}

} // namespace cufuse
