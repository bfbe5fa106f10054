#include "Refusals.h"

#include "cufuse/Dependence/Streams.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>

#include <numeric>

namespace cufuse {

void Refusals::refuse(BlockerKind Kind, const SourcePlace &Where, const std::string &Fact, const std::string &Remedy) {
  Message M = Blocker{Kind, Where, Fact}.message();
  if (!Remedy.empty())
    M.Remedy = Remedy;
  if (llvm::none_of(Messages,
                    [&](const Message &Known) { return Known.str() == M.str() && Known.Where.str() == M.Where.str(); }))
    Messages.push_back(std::move(M));
}

void Refusals::goesOn(const VerticalNode &N, BlockShape Block, bool IsLast, BlockerKind Unshown) {
  for (const auto *Exits : {&N.Facts->ExitsBeforeBarrier, &N.Facts->ExitsBeforeWarpPrimitive})
    for (const Finding &Exit : *Exits)
      if (!Exit.ByBranch || !Exit.isByWarps(Block) || Exits == &N.Facts->ExitsBeforeBarrier)
        refuse(BlockerKind::ExitBeforeNext, Exit.Where, fmt::format("{}: {}", N.Name, Exit.What));
  if (IsLast)
    return;
  if (N.Facts->GridLaunch)
    refuse(BlockerKind::GridBarrierLaunch, N.Facts->GridLaunch->Where, N.Name);
  if (N.Facts->DynamicShared.empty())
    return;
  if (N.Facts->KeptMbarrier)
    refuse(BlockerKind::KeptMbarrier, *N.Facts->KeptMbarrier, N.Name, "end it: bar.~barrier(), mbarrier.inval");
  if (N.Facts->CopiesAsynchronously)
    refuse(Unshown, N.Facts->Where,
           fmt::format("{} copies to dynamic shared memory, which a copy may still reach in the next kernel", N.Name));
}

const AccessSite *siteOf(const VerticalNode &Node, llvm::StringRef Parameter, AccessSite::Kind What) {
  for (const AccessSite *Site : Node.sites(Parameter))
    if (Site->What == What)
      return Site;
  return nullptr;
}

std::string storedBy(const VerticalNode &Producer, const std::string &Out) {
  const AccessSite *Store = siteOf(Producer, Out, AccessSite::Kind::Store);
  return Store ? fmt::format("{} stores {}", Producer.Name, Store->str())
               : fmt::format("{} changes {}", Producer.Name, Out);
}

/// `kernel.m*n`, `kernel.4*n`, where the number is a product of one kernel's arguments.
static std::string productOf(const Polynomial &P) {
  if (P.terms().size() != 1 || P.terms().begin()->second < 1)
    return "";
  std::string Text;
  llvm::StringRef Of;
  const auto &[Atoms, Number] = *P.terms().begin();
  for (llvm::StringRef Atom : Atoms) {
    const auto [Node, Name] = Atom.rsplit('.');
    if (Atom.contains('(') || Name.empty() || (!Text.empty() && Node != Of))
      return "";
    Of = Node;
    Text += (!Text.empty() ? "*" : Node.str() + "." + (Number == 1 ? "" : fmt::format("{}*", Number))) + Name.str();
  }
  return Text;
}

/// Why a block waits between two kernels, whatever they exchange: what of its own both use. Nothing if there is none.
static std::string usedByBoth(const VerticalNode &Before, const VerticalNode &Node) {
  const KernelFacts &Earlier = *Before.Facts, &Later = *Node.Facts;
  if (!Earlier.DynamicShared.empty() && !Later.DynamicShared.empty())
    return Before.Name + " has used the same dynamic shared memory";
  if ((!Earlier.NamedBarriers.empty() && !Later.NamedBarriers.empty()) ||
      (Earlier.MultiWarpTiles && Later.MultiWarpTiles))
    return Before.Name + " has used the same barriers";
  return {};
}

std::vector<std::string> barriersOf(const VerticalGraph &Graph,
                                    llvm::function_ref<std::string(unsigned, unsigned)> Exchanged) {
  std::vector<std::string> All;
  size_t Last = 0; // before which it waits
  for (size_t I = 0; I < Graph.Order.size(); ++I) {
    std::string Why;
    for (size_t J = Last; J < I && Why.empty(); ++J) {
      const unsigned Before = Graph.Order[J], Node = Graph.Order[I];
      Why = Exchanged(Before, Node);
      if (Why.empty())
        Why = usedByBoth(Graph.Nodes[Before], Graph.Nodes[Node]);
    }
    Last = Why.empty() ? Last : I;
    All.push_back(std::move(Why));
  }
  return All;
}

std::string linkOf(Polynomial Made, Polynomial Taken) {
  if (Made.terms().size() == 1 && Taken.terms().size() == 1) // groups of the same size
    if (const auto Both = std::gcd(Made.terms().begin()->second, Taken.terms().begin()->second); Both > 1)
      Made = *Made.dividedBy(Both), Taken = *Taken.dividedBy(Both);
  std::string From = productOf(Made), To = productOf(Taken);
  if (llvm::StringRef(To).contains('*'))
    std::swap(From, To);
  if (From.empty() || To.empty() || llvm::StringRef(To).contains('*'))
    return "";
  return fmt::format("if they are equal, say --link '{}={}'", From, To);
}

void checkOwn(const AccessSite &Site, const VerticalNode &Node, const std::string &Stored, Refusals &Refused) {
  auto Refuse = [&](BlockerKind Kind, const std::string &Why) { Refused.refuse(Kind, Site.Where, Why); };
  const std::string Fact = fmt::format("{}: {}; {}", Node.Name, Site.str(), Stored);
  if (Site.What == AccessSite::Kind::Atomic)
    return Refuse(BlockerKind::IntermediateAtomic, Fact);
  if (Site.What == AccessSite::Kind::Escape || !Site.Direct || !isFollowedInGroups(Site, Node))
    return Refuse(BlockerKind::IntermediateEscapes, Fact);
  if (isOwn(Site, *Node.Accesses, *Node.Shape))
    return;
  const auto Index = Site.Index ? inElement(*Site.Index, *Node.Accesses, *Node.Shape) : std::nullopt;
  const std::string Group =
      Node.Shape->Width == 1 ? "" : fmt::format(" of groups of {}, under its conditions", Node.Shape->Width);
  Refuse(BlockerKind::OtherElement, fmt::format("{}: {}, whose index is {}{}; {}", Node.Name, Site.str(),
                                                Index ? shown(*Index) : "not known", Group, Stored));
}

void checkChanges(const VerticalGraph &Graph, const Flow &F, Refusals &Refused) {
  const VerticalNode &Consumer = Graph.Nodes[F.Consumer];
  const std::string Stored = storedBy(Graph.Nodes[F.Producer], F.Out);
  const AccessSite *Store = siteOf(Consumer, F.In, AccessSite::Kind::Store);
  for (const Flow *Each : Graph.flowsFrom(F.Producer, F.Out)) {
    const Flow &Other = *Each;
    if (Each == &F || !Graph.Nodes[Other.Consumer].stores(Other.In))
      continue;
    const std::string &Changes = Graph.Nodes[Other.Consumer].Name;
    if (Store && Each < &F)
      Refused.refuse(BlockerKind::InPlaceHazard, Store->Where,
                     fmt::format("{}: {}; so does {}; {}", Consumer.Name, Store->str(), Changes, Stored));
    else if (!Store && Other.Consumer < F.Consumer)
      Refused.refuse(BlockerKind::InPlaceHazard, Consumer.Facts->Where,
                     fmt::format("{} takes {}, which {} has changed: link {}.{}={}.{}; {}", Consumer.Name, F.In,
                                 Changes, Changes, Other.In, Consumer.Name, F.In, Stored));
  }
}

namespace {

class AliasCheck {
public:
  AliasCheck(const VerticalGraph &Graph, Refusals &Refused, InMemory Kept)
      : Graph(Graph), Refused(Refused), Kept(Kept) {}

  void run() {
    for (const Flow &F : Graph.Flows) {
      if (Kept == InMemory::Live)
        inside(Graph.Nodes[F.Producer], F.Out);
      if (Kept == InMemory::Live || (Kept == InMemory::Dead && Graph.Nodes[F.Consumer].stores(F.In)))
        inside(Graph.Nodes[F.Consumer], F.In);
    }
    for (size_t I = 0; I < Graph.Order.size(); ++I)
      for (size_t J = I + 1; J < Graph.Order.size(); ++J)
        aliases(Graph.Order[I], Graph.Order[J]);
  }

private:
  static std::string apart(const VerticalNode &A, const std::string &OfA, const VerticalNode &B,
                           const std::string &OfB) {
    std::string Why; // where others are compared
    if (A.Compared.count(OfA) || B.Compared.count(OfB))
      Why = fmt::format("which elements of {} are used is not known at the launch; ",
                        A.Compared.count(OfA) ? B.Name + "." + OfB : A.Name + "." + OfA);
    if (&A != &B)
      return Why + "if they never do, say --distinct";
    return fmt::format("{}if they never do, say --distinct, or declare {}.{} and {}.{} __restrict__", Why, A.Name, OfA,
                       B.Name, OfB);
  }

  void inside(const VerticalNode &Node, const std::string &Parameter) {
    const ParameterAccess *Other = mayBeAliased(Node, Parameter);
    if (!Other)
      return;
    const std::vector<const AccessSite *> Own = Node.sites(Parameter), By = Node.sites(Other->Name);
    if (!Own.empty() && !By.empty())
      Refused.refuse(BlockerKind::MayAlias, By.front()->Where,
                     fmt::format("{}: {}; {}", Node.Name, By.front()->str(), Own.front()->str()),
                     apart(Node, Parameter, Node, Other->Name));
  }

  /// Is a parameter's memory not accessed in the fused kernel?
  bool isForwarded(unsigned Node, const std::string &Parameter) const {
    if (Kept == InMemory::All)
      return false;
    if (Graph.flowTo(Node, Parameter))
      return !Graph.Nodes[Node].stores(Parameter) || !Graph.isLive(Node, Parameter);
    return Kept == InMemory::Live && Graph.isIntermediate(Node, Parameter) && !Graph.isLive(Node, Parameter);
  }

  /// An intermediate that its consumer changes in place, of which all accesses are proved to be of the same block.
  bool isProved(unsigned First, const std::string &Out, unsigned Second, const std::string &In) const {
    const Flow *Of = Kept == InMemory::Dead ? Graph.flowTo(Second, In) : nullptr;
    return Of && Of->Producer == First && Of->Out == Out;
  }

  struct Access {
    const ParameterAccess *Parameter;
    const AccessSite *Load = nullptr, *Store = nullptr;
  };
  std::vector<Access> accesses(unsigned Node) const {
    std::vector<Access> All;
    for (const ParameterAccess &P : Graph.Nodes[Node].Accesses->Parameters) {
      if (P.Element.empty() || isForwarded(Node, P.Name))
        continue;
      Access A{&P};
      for (const AccessSite *Site : Graph.Nodes[Node].sites(P.Name)) {
        if (Site->What != AccessSite::Kind::Store && !A.Load)
          A.Load = Site;
        if (Site->What != AccessSite::Kind::Load && !(Site->What == AccessSite::Kind::Escape && P.ReadOnly) && !A.Store)
          A.Store = Site;
      }
      All.push_back(A);
    }
    return All;
  }

  bool areOwn(unsigned Node, const ParameterAccess &P) const {
    const VerticalNode &N = Graph.Nodes[Node];
    return llvm::all_of(N.sites(P.Name), [&](const AccessSite *Site) { return isOwn(*Site, *N.Accesses, *N.Shape); });
  }

  /// Is that said of all arrays, or does the launcher compare what is used of this one? `__restrict__` is said of what
  /// one kernel uses: where another one does, arrays may overlap.
  bool areApart(unsigned Node, const ParameterAccess &P) const {
    const VerticalNode &N = Graph.Nodes[Node];
    return N.Distinct || N.Compared.count(P.Name) || (P.Restrict && Graph.Extents.count(Graph.memory(Node, P.Name)));
  }

  void aliases(unsigned First, unsigned Second) {
    const std::vector<Access> Earlier = accesses(First), Later = accesses(Second);
    struct Pairs { // with one remedy
      std::string Remedy;
      SourcePlace Where;
      std::string Fact;
      std::vector<std::string> Others;
    };
    std::vector<Pairs> Apart;
    for (const Access &A : Earlier)
      for (const Access &B : Later) {
        if (!(A.Store && (B.Load || B.Store)) && !(A.Load && B.Store))
          continue;
        const bool Same = Graph.memory(First, A.Parameter->Name) == Graph.memory(Second, B.Parameter->Name);
        if (Same && (Kept == InMemory::All || isProved(First, A.Parameter->Name, Second, B.Parameter->Name)))
          continue;
        // Each turn of the loop loads its own elements, and then changes them.
        if (Same && Graph.OneLoop && !A.Store && areOwn(First, *A.Parameter) && areOwn(Second, *B.Parameter))
          continue;
        if (!Same && areApart(First, *A.Parameter) && areApart(Second, *B.Parameter))
          continue;
        const AccessSite &Of = A.Store ? *A.Store : *A.Load, &By = A.Store && B.Load ? *B.Load : *B.Store;
        const std::string Fact =
            fmt::format("{}: {}; {}: {}", Graph.Nodes[Second].Name, By.str(), Graph.Nodes[First].Name, Of.str());
        if (Same) {
          Refused.refuse(BlockerKind::SameMemory, By.Where, Fact);
          continue;
        }
        const std::string Remedy = apart(Graph.Nodes[First], A.Parameter->Name, Graph.Nodes[Second], B.Parameter->Name);
        auto Known = llvm::find_if(Apart, [&](const Pairs &Each) { return Each.Remedy == Remedy; });
        if (Known == Apart.end())
          Apart.push_back({Remedy, By.Where, Fact, {}});
        else
          Known->Others.push_back(fmt::format("{} with {}", B.Parameter->Name, A.Parameter->Name));
      }
    for (const Pairs &Each : Apart)
      Refused.refuse(BlockerKind::MayAlias, Each.Where,
                     Each.Fact + (Each.Others.empty() ? "" : "; so may " + listed(Each.Others)), Each.Remedy);
    hidden(First, Later, Second);
    hidden(Second, Earlier, First);
  }

  /// Memory that a node reaches otherwise than through its pointers may be what another one stores.
  void hidden(unsigned Node, llvm::ArrayRef<Access> Others, unsigned Other) {
    const VerticalNode &N = Graph.Nodes[Node];
    const std::optional<Finding> Hidden = otherMemory(N);
    if (!Hidden)
      return;
    for (const Access &A : Others)
      if (const AccessSite *Site = A.Store ? A.Store : A.Load)
        return Refused.refuse(BlockerKind::HiddenMemory, Site->Where,
                              fmt::format("{}: {}; {} uses {}, {}", Graph.Nodes[Other].Name, Site->str(), N.Name,
                                          Hidden->What, Hidden->Where.str()));
  }

  const VerticalGraph &Graph;
  Refusals &Refused;
  const InMemory Kept;
};

} // namespace

bool isTable(const GlobalFacts &Global) {
  return Global.Space == "__constant__" || (!Global.HostShared && Global.Does == Change::None);
}

std::optional<Finding> otherMemory(const VerticalNode &Node) {
  Finding Found;
  Found.Where = Node.Facts->Where;
  for (const ParameterAccess &P : Node.Accesses->Parameters)
    if (P.HidesPointers)
      Found.What = "pointers in " + P.Name;
  for (const std::string &Name : Node.Accesses->PointerVariables)
    Found.What = "pointers in " + Name;
  for (const GlobalFacts &Global : Node.Facts->Globals)
    if (!isTable(Global))
      Found.What = "the variable " + Global.Name;
  if (Found.What.empty() && !Node.Accesses->OtherMemory.empty())
    return Node.Accesses->OtherMemory.front();
  return Found.What.empty() ? std::nullopt : std::optional(Found);
}

bool isOfArguments(const VerticalNode &Node, const Polynomial &P) {
  return llvm::all_of(P.atoms(), [&](const std::string &Atom) {
    const auto Q = Node.Accesses->Quotients.find(Atom);
    return Q == Node.Accesses->Quotients.end()
               ? Node.parameter(Atom) != nullptr
               : isOfArguments(Node, Q->second.Dividend) && isOfArguments(Node, Q->second.Divisor);
  });
}

bool usesWholeRange(const AccessSite &Site, const VerticalNode &Node, BlockShape Block,
                    const std::optional<Polynomial> &Step) {
  const Polynomial Thread = Polynomial::atom(builtinAtom(Builtin::ThreadIdx, 0)),
                   Size = Polynomial::atom(builtinAtom(Builtin::BlockDim, 0));
  auto IsWhole = [&](const LoopAccess &Loop, const PathStep &Around) {
    const bool ByThreads = inBlock(Loop.Start, Node.Accesses->Quotients, Block.X) == Thread &&
                           (Loop.Step == Size || Loop.Step == Block.X || Loop.Step == Step);
    const bool ByOne = Loop.Start.isZero() && Loop.Step == 1;
    return Around.Exact && !Loop.LeftEarly && (ByThreads || ByOne) && Around.Holds.size() == 1 &&
           Around.Holds[0].Left == Polynomial::atom(Loop.Atom) && isOfArguments(Node, Around.Holds[0].Right) &&
           Site.Index->contains(Loop.Atom);
  };
  // By the first threads, for all.
  auto IsOfFirst = [&](const Less &L) {
    return L.Left == Thread && L.Right.asConstant().value_or(0) > 0 &&
           !Site.Index->contains(builtinAtom(Builtin::ThreadIdx, 0));
  };
  return Site.Index && llvm::all_of(Site.Path, [&](const PathStep &Each) {
           return Each.What == PathStep::Kind::Loop
                      ? IsWhole(Node.Accesses->Loops[Each.Id], Each)
                      : Each.What == PathStep::Kind::Branch && Each.Exact && llvm::all_of(Each.Holds, IsOfFirst);
         });
}

void checkAliases(const VerticalGraph &Graph, Refusals &Refused, InMemory Kept) {
  AliasCheck(Graph, Refused, Kept).run();
}

} // namespace cufuse
