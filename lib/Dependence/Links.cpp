#include "cufuse/Dependence/Links.h"

#include "Parts.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>

namespace cufuse {

std::vector<const AccessSite *> VerticalNode::sites(llvm::StringRef Parameter) const {
  std::vector<const AccessSite *> All;
  for (const AccessSite &Site : Accesses->Sites)
    if (Site.Parameter == Parameter)
      All.push_back(&Site);
  return All;
}

bool VerticalNode::stores(llvm::StringRef Parameter) const {
  return llvm::any_of(sites(Parameter), [&](const AccessSite *Site) {
    return Site->What != AccessSite::Kind::Load &&
           !(Site->What == AccessSite::Kind::Escape && parameter(Parameter)->ReadOnly);
  });
}

std::vector<const Flow *> VerticalGraph::flowsFrom(unsigned Node, llvm::StringRef Parameter) const {
  std::vector<const Flow *> All;
  for (const Flow &F : Flows)
    if (F.Producer == Node && F.Out == Parameter)
      All.push_back(&F);
  return All;
}

const ParameterAccess *VerticalGraph::parameterOf(llvm::StringRef Atom) const {
  const auto [Name, Parameter] = Atom.split('.');
  const auto Node = llvm::find_if(Nodes, [Name = Name](const VerticalNode &N) { return N.Name == Name; });
  return Node == Nodes.end() ? nullptr : Node->parameter(Parameter);
}

std::pair<unsigned, std::string> VerticalGraph::memory(unsigned Node, const std::string &Parameter) const {
  if (const SharedArgument *S = sharedTo(Node, Parameter))
    return memory(S->Of, S->Factors.front());
  if (const Flow *F = flowTo(Node, Parameter))
    return memory(F->Producer, F->Out);
  return {Node, Parameter};
}

const Flow *VerticalGraph::changedInPlace(unsigned Producer, llvm::StringRef Out) const {
  for (const Flow *F : flowsFrom(Producer, Out))
    if (Nodes[F->Consumer].stores(F->In))
      return F;
  return nullptr;
}

bool VerticalGraph::isLive(unsigned Node, llvm::StringRef Parameter) const {
  if (changedInPlace(Node, Parameter))
    return false;
  const std::vector<const Flow *> Of = flowsFrom(Node, Parameter);
  return Of.empty() || !llvm::all_of(Of, [](const Flow *F) { return F->Dead; });
}

const SharedArgument *VerticalGraph::sharedTo(unsigned Node, llvm::StringRef Parameter) const {
  for (const SharedArgument &S : Shared)
    if (S.To == Node && S.Parameter == Parameter)
      return &S;
  return nullptr;
}

/// A factor of a link that is no parameter.
static std::optional<std::int64_t> numberOf(llvm::StringRef Factor) {
  unsigned Number = 0;
  return Factor.getAsInteger(10, Number) || Number == 0 || Number > INT32_MAX ? std::nullopt
                                                                              : std::optional<std::int64_t>(Number);
}

std::string argumentText(const VerticalGraph &Graph, const SharedArgument &S,
                         llvm::function_ref<std::string(unsigned, const std::string &)> Argument) {
  const ParameterAccess &To = *Graph.Nodes[S.To].parameter(S.Parameter);
  std::vector<std::string> Factors;
  for (const std::string &Factor : S.Factors) {
    const std::string Text = numberOf(Factor) ? Factor : Argument(S.Of, Factor);
    // A product may fit the type that it is wanted in alone.
    const bool Converted =
        S.Factors.size() > 1 && !numberOf(Factor) && Graph.Nodes[S.Of].parameter(Factor)->Type != To.Type;
    Factors.push_back(Converted ? fmt::format("static_cast<{}>({})", To.Type, Text) : Text);
  }
  const std::string Product = llvm::join(Factors, " * ");
  const bool IsOfType = S.Factors.size() == 1 && Graph.Nodes[S.Of].parameter(S.Factors.front())->Type == To.Type &&
                        !llvm::isDigit(Product[0]) &&
                        llvm::all_of(Product, [](char C) { return llvm::isAlnum(C) || C == '_'; });
  return To.Integer && !IsOfType ? fmt::format("static_cast<{}>({})", To.Type, Product) : Product;
}

std::string pointerText(const VerticalGraph &Graph, unsigned Node, const std::string &Parameter,
                        const std::string &Element, const std::string &Given, bool InParts) {
  const auto [Of, Name] = Graph.memory(Node, Parameter);
  const ParameterAccess &From = *Graph.Nodes[Of].parameter(Name), &To = *Graph.Nodes[Node].parameter(Parameter);
  if (To.Element.empty())
    return Given;
  const std::string Pointee = To.BuiltinType && !InParts ? To.Element : Element;
  size_t Length = Pointee.size(); // `float (*)[6][6]`, of arrays
  while (Length > 0 && Pointee[Length - 1] == ']')
    Length = Pointee.rfind('[', Length - 1);
  auto Cast = [&](const char *How, bool Const, bool Volatile, const std::string &Of) {
    return fmt::format("{}<{}{}{} {}{}>({})", How, Const ? "const " : "", Volatile ? "volatile " : "",
                       llvm::StringRef(Pointee).take_front(Length).rtrim().str(), Length < Pointee.size() ? "(*)" : "*",
                       Pointee.substr(Length), Of);
  };
  const bool IsOther = From.Element != To.Element || InParts,
             Drops = (From.ReadOnly && !To.ReadOnly) || (From.Volatile && !To.Volatile);
  const std::string Own =
      IsOther ? Cast("reinterpret_cast", From.ReadOnly || To.ReadOnly, From.Volatile || To.Volatile, Given) : Given;
  return Drops ? Cast("const_cast", To.ReadOnly, To.Volatile, Own) : Own;
}

const Flow *VerticalGraph::flowTo(unsigned Node, llvm::StringRef Parameter) const {
  for (const Flow &F : Flows)
    if (F.Consumer == Node && F.In == Parameter)
      return &F;
  return nullptr;
}

std::string VerticalGraph::argumentName(unsigned Node, const std::string &Parameter) const {
  // What stands between the kernels, and what a launch has beside its arguments.
  static const llvm::StringSet<> Ours = {
      "Full",    "Turns",    "Width",     "as",    "block",  "blockDim", "blockIdx", "by",   "dynamicSharedBytes",
      "element", "elements", "first",     "fused", "grid",   "gridDim",  "index",    "k",    "kept",
      "launch",  "length",   "memory",    "moved", "offset", "pools",    "rest",     "room", "row",
      "stream",  "threads",  "threadIdx", "to",    "turn",   "value",    "whole"};
  auto Remains = [&](unsigned Each, const std::string &Name) {
    return !flowTo(Each, Name) && !sharedTo(Each, Name) && (!isIntermediate(Each, Name) || isLive(Each, Name));
  };
  auto Meets = [&](unsigned Each) {
    return Nodes[Each].Name == Parameter || llvm::any_of(Nodes[Each].Facts->Parameters, [&](const ParameterFacts &P) {
             return (Each != Node && P.Name == Parameter && Remains(Each, P.Name)) ||
                    Nodes[Each].Name + "_" + P.Name == Parameter;
           });
  };
  const bool IsShort = Remains(Node, Parameter) && !Ours.contains(Parameter) &&
                       llvm::none_of(llvm::seq<unsigned>(0, Nodes.size()), Meets);
  return IsShort ? Parameter : Nodes[Node].Name + "_" + Parameter;
}

Polynomial VerticalGraph::argument(unsigned Node, const std::string &Parameter) const {
  if (const auto Number = numberOf(Parameter))
    return Polynomial(*Number);
  if (const auto Known = Nodes[Node].known(Parameter))
    return Polynomial(*Known);
  const SharedArgument *S = sharedTo(Node, Parameter);
  if (!S)
    return Polynomial::atom(Nodes[Node].Name + "." + Parameter);
  Polynomial Product = 1;
  for (const std::string &Factor : S->Factors)
    Product = Product * argument(S->Of, Factor);
  return Product;
}

/// A node's quotient in arguments, with its atom there.
static std::pair<std::string, Quotient> givenQuotient(const VerticalGraph &Graph, unsigned Node, Quotient Q) {
  Q.Dividend = Graph.inArguments(Node, Q.Dividend), Q.Divisor = Graph.inArguments(Node, Q.Divisor);
  const std::string Plain = fmt::format("(({}){} / ({}))", Q.Dividend.str(), Q.lost(), Q.Divisor.str());
  return {Q.Wrap == Quotient::Wraps::Never ? Plain : Q.atom(), Q};
}

Polynomial VerticalGraph::inArguments(unsigned Node, const Polynomial &P) const {
  Polynomial Result = P;
  const std::map<std::string, Quotient> &Own = Nodes[Node].Accesses->Quotients;
  for (const std::string &Atom : P.atoms())
    if (Nodes[Node].parameter(Atom))
      Result = Result.substitute(Atom, argument(Node, Atom));
    else if (auto Found = Own.find(Atom); Found != Own.end())
      Result = Result.substitute(Atom, Polynomial::atom(givenQuotient(*this, Node, Found->second).first));
  return Result;
}

bool isLoadedFirst(const VerticalNode &Node, llvm::StringRef Loaded, llvm::StringRef Stored) {
  bool Stores = false;
  return Node.Shape->Shape == KernelShape::Pointwise && Node.Shape->Width == 1 && !Node.stores(Loaded) &&
         llvm::all_of(Node.Accesses->Sites, [&](const AccessSite &Site) {
           if (Site.Parameter != Loaded && Site.Parameter != Stored)
             return true;
           Stores |= Site.Parameter == Stored;
           return isOwn(Site, *Node.Accesses, *Node.Shape) && !Site.Compound &&
                  Site.What == (Site.Parameter == Stored ? AccessSite::Kind::Store : AccessSite::Kind::Load) &&
                  !(Site.Parameter == Loaded && Stores) && llvm::all_of(Site.Path, [&](const PathStep &Step) {
                    return Step.What == PathStep::Kind::Branch ||
                           (Step.What == PathStep::Kind::Loop && Node.Shape->Strided && Step.Id == Node.Shape->Loop);
                  });
         });
}

llvm::Expected<unsigned> kernelOfLink(llvm::StringRef Name, llvm::ArrayRef<std::string> Names,
                                      llvm::ArrayRef<const KernelFacts *> Facts) {
  if (const auto Own = llvm::find(Names, Name); Own != Names.end())
    return Own - Names.begin();
  std::optional<unsigned> Found;
  for (unsigned I = 0; I < Names.size(); ++I)
    if (Facts[I]->Name == Name || Facts[I]->QualifiedName == Name) {
      if (Found)
        return badUsage(fmt::format("'{}' names several of the kernels", Name.str()),
                        fmt::format("they are {} and {}", Names[*Found], Names[I]));
      Found = I;
    }
  if (!Found)
    return badUsage(fmt::format("'{}' is none of the kernels", Name.str()), "they are " + listed(Names));
  return *Found;
}

namespace {

class Linking {
public:
  Linking(std::vector<VerticalNode> Nodes, llvm::ArrayRef<LinkText> Links, llvm::ArrayRef<std::string> Dead,
          bool InMemory)
      : Links(Links), Dead(Dead), InMemory(InMemory) {
    Graph.Nodes = std::move(Nodes);
  }

  llvm::Expected<VerticalGraph> run() {
    if (!InMemory)
      takeInParts(Graph, pointers());
    for (const LinkText &Link : Links)
      TRY(link(Link));
    followFlows();
    TRY(haveOneElement());
    for (const std::string &Name : Dead)
      TRY(kill(Name));
    TRY(keepDistinct());
    TRY(order());
    findRoot();
    TRY(sharedComeFirst());
    for (unsigned I = 0; I < Graph.Nodes.size(); ++I)
      for (const auto &[Atom, Q] : Graph.Nodes[I].Accesses->Quotients) {
        auto [Given, InArguments] = givenQuotient(Graph, I, Q);
        Graph.Quotients.insert_or_assign(std::move(Given), std::move(InArguments));
      }
    return std::move(Graph);
  }

private:
  /// The links by arrays, as far as there is what they name.
  std::vector<PointerLink> pointers() const {
    std::vector<PointerLink> All;
    for (const LinkText &Link : Links) {
      auto From = node(Link.From), To = node(Link.To);
      const bool AreKnown = From && To && Link.Factors.size() == 1;
      const ParameterAccess *Out = AreKnown ? Graph.Nodes[*From].parameter(Link.Factors.front()) : nullptr,
                            *In = AreKnown ? Graph.Nodes[*To].parameter(Link.Parameter) : nullptr;
      if (Out && In && !Out->Element.empty() && !In->Element.empty())
        All.push_back({*From, *To, Out->Name, In->Name});
      llvm::consumeError(llvm::joinErrors(From.takeError(), To.takeError()));
    }
    return All;
  }

  /// Pointers that are declared to be distinct must not be linked to the same memory, where it is stored to; with
  /// --distinct alone, they are one array where the order of its accesses does not matter.
  llvm::Error keepDistinct() const {
    for (unsigned I = 0; I < Graph.Nodes.size(); ++I) {
      const VerticalNode &Node = Graph.Nodes[I];
      for (const ParameterAccess &A : Node.Accesses->Parameters)
        for (const ParameterAccess &B : Node.Accesses->Parameters)
          if (&A < &B && !A.Element.empty() && !B.Element.empty() && Node.isDistinct(A) && Node.isDistinct(B) &&
              (Node.stores(A.Name) || Node.stores(B.Name)) && Graph.memory(I, A.Name) == Graph.memory(I, B.Name) &&
              ((A.Restrict && B.Restrict) ||
               !(isLoadedFirst(Node, A.Name, B.Name) || isLoadedFirst(Node, B.Name, A.Name))))
            return A.Restrict && B.Restrict
                       ? refuse({BlockerKind::SameMemory, Node.Facts->Where,
                                 fmt::format("{0}.{1} and {0}.{2} are one array, which {0} stores to, but both are "
                                             "__restrict__",
                                             Node.Name, A.Name, B.Name)})
                       : badUsage(fmt::format("the links lead {0}.{1} and {0}.{2} to the same memory, which {0} stores "
                                              "to, but they are said to be distinct, by --distinct",
                                              Node.Name, A.Name, B.Name),
                                  "take back one or the other");
    }
    return llvm::Error::success();
  }

  llvm::Expected<unsigned> node(const std::string &Name) const {
    return kernelOfLink(Name, llvm::map_to_vector(Graph.Nodes, [](const VerticalNode &N) { return N.Name; }),
                        llvm::map_to_vector(Graph.Nodes, [](const VerticalNode &N) { return N.Facts; }));
  }

  static llvm::Error noParameter(const std::string &Kernel, const VerticalNode &Node, const std::string &Name) {
    return badUsage(fmt::format("{} has no parameter '{}'", Kernel, Name),
                    "it has " +
                        listed(llvm::map_to_vector(Node.Facts->Parameters, [](const auto &P) { return P.Name; })));
  }

  bool comesOf(unsigned Node, const std::string &Parameter, unsigned Other, llvm::StringRef Source) const {
    if (Node == Other && Parameter == Source)
      return true;
    if (const Flow *F = Graph.flowTo(Node, Parameter))
      return comesOf(F->Producer, F->Out, Other, Source);
    const SharedArgument *S = Graph.sharedTo(Node, Parameter);
    return S && llvm::any_of(S->Factors, [&](const std::string &Each) { return comesOf(S->Of, Each, Other, Source); });
  }

  llvm::Error link(const LinkText &Link) {
    auto From = node(Link.From), To = node(Link.To);
    if (!From || !To)
      return llvm::joinErrors(From.takeError(), To.takeError());
    const ParameterAccess *Target = Graph.Nodes[*To].parameter(Link.Parameter);
    if (!Target)
      return noParameter(Link.To, Graph.Nodes[*To], Link.Parameter);
    std::vector<const ParameterAccess *> Sources;
    for (const std::string &Factor : Link.Factors) {
      if (numberOf(Factor))
        continue;
      Sources.push_back(Graph.Nodes[*From].parameter(Factor));
      if (!Sources.back())
        return noParameter(Link.From, Graph.Nodes[*From], Factor);
    }
    if (Sources.empty())
      return badUsage(fmt::format("'{}' links no parameter", Link.Text),
                      "fix an argument by --bind " + Link.To + "." + Link.Parameter + "=" + Link.Factors.front());
    if (Graph.sharedTo(*To, Link.Parameter) || Graph.flowTo(*To, Link.Parameter))
      return badUsage(fmt::format("'{}': the parameter is linked twice", Link.Text));
    const bool IsOwn = *From == *To; // its two names of one array
    if (IsOwn && (Target->Element.empty() || Graph.Nodes[*To].stores(Link.Parameter)))
      return badUsage(fmt::format("'{}': a kernel is linked to itself", Link.Text),
                      "two names of one array may be, as KERNEL.stored=KERNEL.loaded");
    if (llvm::any_of(Link.Factors,
                     [&](const std::string &Factor) { return comesOf(*From, Factor, *To, Link.Parameter); }))
      return badUsage("the links go round in a circle");
    const bool Product = Link.Factors.size() > 1;
    for (const ParameterAccess *Source : Sources) {
      const bool Fits = Source->Integer && Target->Integer ? true
                        : Product                          ? false
                        : !Source->Element.empty()         ? haveElements(*Source, *Target)
                                                           : Source->Type == Target->Type;
      if (!Fits)
        return haveOtherTypes(*From, *Source, *To, *Target);
    }
    if (!Product && !IsOwn && !Target->Element.empty() && Graph.Nodes[*From].stores(Link.Factors[0]))
      Graph.Flows.push_back({*From, *To, Link.Factors[0], Link.Parameter, false});
    else
      Graph.Shared.push_back({*From, *To, Link.Factors, Link.Parameter});
    return llvm::Error::success();
  }

  /// A link from what a kernel takes, and does not change, is one from where it takes it.
  void followFlows() {
    for (bool Changed = true; std::exchange(Changed, false);)
      for (size_t I = 0; I < Graph.Shared.size(); ++I) {
        const SharedArgument S = Graph.Shared[I];
        if (Graph.Nodes[S.To].parameter(S.Parameter)->Element.empty())
          continue;
        const Flow *F = Graph.flowTo(S.Of, S.Factors.front());
        if (!F)
          continue;
        Graph.Flows.push_back({F->Producer, S.To, F->Out, S.Parameter, false});
        Graph.Shared.erase(Graph.Shared.begin() + I);
        Changed = true;
        break;
      }
  }

  bool haveElements(const ParameterAccess &A, const ParameterAccess &B) const {
    return InMemory ? !A.Element.empty() && !B.Element.empty() : haveCommonElements(A, B);
  }

  /// Those that are linked by one that takes several of their elements for one have the same ones.
  llvm::Error haveOneElement() const {
    for (unsigned I = 0; I < Graph.Nodes.size(); ++I)
      for (const ParameterAccess &P : Graph.Nodes[I].Accesses->Parameters) {
        const auto [Of, Name] = Graph.memory(I, P.Name);
        if (P.Element.empty())
          continue;
        for (unsigned J = 0; J < I; ++J)
          for (const ParameterAccess &Q : Graph.Nodes[J].Accesses->Parameters)
            if (!Q.Element.empty() && Graph.memory(J, Q.Name) == std::pair(Of, Name) && !haveElements(P, Q))
              return haveOtherTypes(J, Q, I, P);
      }
    return llvm::Error::success();
  }

  llvm::Error haveOtherTypes(unsigned From, const ParameterAccess &Out, unsigned To, const ParameterAccess &In) const {
    return refuse({BlockerKind::LinkedTypes, Graph.Nodes[To].Facts->Where,
                   fmt::format("{}.{} is {}, {}.{} is {}", Graph.Nodes[From].Name, Out.Name, Out.Type,
                               Graph.Nodes[To].Name, In.Name, In.Type)});
  }

  llvm::Error kill(const std::string &Name) {
    const auto [Kernel, Parameter] = llvm::StringRef(Name).rsplit('.');
    std::optional<unsigned> Producer;
    if (!Parameter.empty()) {
      Producer = TRY(node(Kernel.str()));
    }
    bool Used = false;
    for (Flow &F : Graph.Flows) {
      const bool Named = Producer ? F.Out == Parameter && F.Producer == *Producer : F.Out == Name;
      F.Dead |= Named;
      Used |= Named;
    }
    if (!Used)
      return badUsage(fmt::format("--dead '{}' names no intermediate", Name),
                      "intermediates are what a --link leads from");
    return llvm::Error::success();
  }

  /// A function of an element, also as to what it loads of intermediates?
  bool isOfElement(unsigned Node) const {
    const VerticalNode &N = Graph.Nodes[Node];
    return N.Shape->Shape == KernelShape::Pointwise && llvm::all_of(N.Accesses->Sites, [&](const AccessSite &Site) {
             return Site.What != AccessSite::Kind::Load || !Graph.flowTo(Node, Site.Parameter) ||
                    isOwn(Site, *N.Accesses, *N.Shape);
           });
  }

  /// The only kernel that is none, and those whose intermediates lead to it.
  void findRoot() {
    Graph.Root = Graph.Order.front();
    std::vector<unsigned> Opaque;
    for (unsigned I = 0; I < Graph.Nodes.size(); ++I)
      if (!isOfElement(I))
        Opaque.push_back(I);
    Graph.OneLoop = Opaque.empty();
    if (Graph.OneLoop) // one that has all elements, not whole groups of them
      for (unsigned I : llvm::reverse(Graph.Order))
        Graph.Root = Graph.Nodes[I].Shape->Tail ? I : Graph.Root;
    if (Opaque.size() != 1)
      return;
    Graph.Root = Opaque.front();
    std::vector<unsigned> Reached = Opaque;
    for (size_t I = 0; I < Reached.size(); ++I)
      for (const Flow &F : Graph.Flows)
        if (F.Consumer == Reached[I] && !llvm::is_contained(Reached, F.Producer))
          Reached.push_back(F.Producer);
    Graph.Before.assign(Reached.begin() + 1, Reached.end());
    // What takes nothing of the root's goes with elements of which each is computed once.
    if (Graph.Before.empty())
      return;
    std::vector<unsigned> Behind = Opaque;
    for (unsigned I : Graph.Order)
      if (llvm::any_of(Graph.Flows,
                       [&](const Flow &F) { return F.Consumer == I && llvm::is_contained(Behind, F.Producer); }))
        Behind.push_back(I);
      else if (I != Graph.Root && !Graph.isBefore(I))
        Graph.Before.push_back(I);
  }

  /// Producers before their consumers, otherwise as they are given.
  llvm::Error order() {
    std::vector<bool> Placed(Graph.Nodes.size(), false);
    while (Graph.Order.size() < Graph.Nodes.size()) {
      unsigned Next = 0;
      while (Next < Placed.size() &&
             (Placed[Next] ||
              llvm::any_of(Graph.Flows, [&](const Flow &F) { return F.Consumer == Next && !Placed[F.Producer]; })))
        ++Next;
      if (Next == Placed.size())
        return badUsage("the links go round in a circle");
      Placed[Next] = true;
      Graph.Order.push_back(Next);
    }
    return llvm::Error::success();
  }

  /// Is it known where that kernel is used? It comes from the kernel itself or from one that runs before, in the end;
  /// the root's own arguments are known to those who are computed where it loads.
  bool comesFirst(unsigned Node, const std::string &Parameter, unsigned To) const {
    if (const SharedArgument *S = Graph.sharedTo(Node, Parameter))
      return llvm::all_of(S->Factors,
                          [&](const std::string &Factor) { return numberOf(Factor) || comesFirst(S->Of, Factor, To); });
    return llvm::find(Graph.Order, Node) <= llvm::find(Graph.Order, To) || (Node == Graph.Root && Graph.isBefore(To));
  }

  /// Numbers are known before all kernels of a loop run.
  bool isOfLaunch(const SharedArgument &S) const {
    return (Graph.OneLoop || (S.To == Graph.Root && Graph.Before.empty())) &&
           Graph.Nodes[S.To].parameter(S.Parameter)->Element.empty();
  }

  llvm::Error sharedComeFirst() const {
    for (const SharedArgument &S : Graph.Shared)
      if (llvm::find(Graph.Order, S.Of) > llvm::find(Graph.Order, S.To) && !comesFirst(S.To, S.Parameter, S.To) &&
          !isOfLaunch(S))
        return badUsage(
            fmt::format("{} is linked to {}, which comes later", Graph.Nodes[S.To].Name, Graph.Nodes[S.Of].Name),
            "link the other way round");
    return llvm::Error::success();
  }

  llvm::ArrayRef<LinkText> Links;
  llvm::ArrayRef<std::string> Dead;
  const bool InMemory;
  VerticalGraph Graph;
};

} // namespace

llvm::Error requireTree(const VerticalGraph &Graph) {
  auto Producers = [&](unsigned Node) {
    return llvm::count_if(Graph.Flows,
                          [&](const Flow &F) { return F.Consumer == Node && !Graph.isBefore(F.Producer); });
  };
  for (unsigned Node : Graph.Order)
    if (const VerticalNode &N = Graph.Nodes[Node]; Producers(Node) > 1) {
      std::vector<std::string> Taken;
      for (const Flow &F : Graph.Flows)
        if (F.Consumer == Node && !Graph.isBefore(F.Producer))
          Taken.push_back(Graph.Nodes[F.Producer].Name + "." + F.Out);
      return refuse({BlockerKind::SeveralProducers, N.Facts->Where, fmt::format("{} takes {}", N.Name, listed(Taken))});
    }
  const std::string &Root = Graph.Nodes[Graph.Root].Name;
  for (unsigned Node : Graph.Order) {
    if (Producers(Node) > 0 || Node == Graph.Root || Graph.isBefore(Node))
      continue;
    // What is computed where the root loads it is not there for anybody else.
    for (const Flow &F : Graph.Flows)
      if (F.Consumer == Node)
        return refuse({BlockerKind::LiveIntermediate, Graph.Nodes[F.Producer].Facts->Where,
                       fmt::format("{}.{}, for {}; {} takes it as {}, too", Graph.Nodes[F.Producer].Name, F.Out, Root,
                                   Graph.Nodes[Node].Name, F.In)});
    for (const SharedArgument &S : Graph.Shared) // which a later kernel stores, and an earlier one only loads
      if (Graph.Nodes[S.To].stores(S.Parameter))
        return refuse({BlockerKind::SameMemory, Graph.Nodes[S.To].Facts->Where,
                       fmt::format("{} changes {}, which {} loads as {}", Graph.Nodes[S.To].Name, S.Parameter,
                                   Graph.Nodes[S.Of].Name, S.Factors.front())});
    return badUsage(
        Graph.Before.empty()
            ? fmt::format("{} and {} both read no intermediate", Root, Graph.Nodes[Node].Name)
            : fmt::format("{} reads no intermediate, and {} loads none that it stores", Graph.Nodes[Node].Name, Root),
        "link what a kernel stores to the parameter that the next one reads it from");
  }
  return llvm::Error::success();
}

llvm::Expected<VerticalGraph> linkKernels(std::vector<VerticalNode> Nodes, llvm::ArrayRef<LinkText> Links,
                                          llvm::ArrayRef<std::string> Dead, bool InMemory) {
  return Linking(std::move(Nodes), Links, Dead, InMemory).run();
}

} // namespace cufuse
