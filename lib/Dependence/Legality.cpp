#include "cufuse/Dependence/Legality.h"

#include "Refusals.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

class Check : Refusals {
public:
  Check(const VerticalGraph &Graph, BlockShape Block, std::optional<unsigned> Recompute)
      : Graph(Graph), Block(Block), Recompute(Recompute) {}

  llvm::Expected<std::vector<AtMost>> run() {
    for (const Flow &F : Graph.Flows)
      if (!isBefore(F.Producer))
        atStore(F);
    for (unsigned Node : Graph.Before)
      producer(Node);
    for (const Flow &F : Graph.Flows)
      if (isBefore(F.Producer))
        atLoad(F);
    checkAliases(Graph, *this);
    return orRefusals(std::move(Requirements));
  }

private:
  bool isToRoot(const Flow &F) const { return F.Consumer == Graph.Root && isBefore(F.Producer); }

  /// Does nothing of it lead to the root?
  bool isBeside(unsigned Node) const {
    return isBefore(Node) && llvm::none_of(Graph.Flows, [&](const Flow &F) {
             return F.Producer == Node && (F.Consumer == Graph.Root || !isBeside(F.Consumer));
           });
  }

  bool isBefore(unsigned Node) const { return llvm::is_contained(Graph.Before, Node); }

  /// Is every element that the consumer takes stored once?
  bool isStoredOnce(const Flow &F, std::optional<BlockShape> By, StoreProof &Proof, bool MayLoad = false) {
    const auto Reason = proveStoredOnce(Graph.Nodes[F.Producer], F.Out, By, Proof, MayLoad);
    const std::string Taken = "; " + Graph.Nodes[F.Consumer].Name + " takes it as " + F.In;
    if (Reason)
      refuse(Reason->Kind, Reason->Where, Reason->Fact + Taken);
    return !Reason;
  }

  /// The consumer runs where the producer stores.
  void atStore(const Flow &F) {
    const VerticalNode &Producer = Graph.Nodes[F.Producer], &Consumer = Graph.Nodes[F.Consumer];
    StoreProof Proof;
    const bool IsRoot = F.Producer == Graph.Root;
    if (!IsRoot && Producer.Shape->Shape != KernelShape::Pointwise)
      return; // said where it consumes
    const bool Once = isStoredOnce(F, IsRoot ? std::optional(Block) : std::nullopt, Proof);
    if (Once && IsRoot)
      for (const AtMost &Needed : Proof.Requirements)
        require(Graph.inArguments(F.Producer, Needed.Left), Graph.inArguments(F.Producer, Needed.Right));

    const std::string Stored = storedBy(Producer, F.Out);
    if (Consumer.Shape->Shape != KernelShape::Pointwise) {
      for (const Finding &Why : Consumer.Shape->Reasons)
        refuse(BlockerKind::NotPointwise, Why.Where, fmt::format("{}: {}; {}", Consumer.Name, Why.What, Stored));
      return;
    }
    if (Consumer.Shape->Width > 1) {
      const AccessSite &Any = Consumer.Accesses->Sites.front();
      refuse(BlockerKind::NotPointwise, Any.Where,
             fmt::format("{}: it works on {} elements at a time: {}; {}", Consumer.Name, Consumer.Shape->Width,
                         Any.str(), Stored));
      return;
    }
    for (const AccessSite *Site : Consumer.sites(F.In))
      load(*Site, Consumer, Stored);
    if (Once)
      bounds(F, Proof, Stored);
  }

  void load(const AccessSite &Site, const VerticalNode &Consumer, const std::string &Stored) {
    const std::string Fact = fmt::format("{}: {}; {}", Consumer.Name, Site.str(), Stored);
    if (Site.What == AccessSite::Kind::Store || Site.Compound)
      return refuse(BlockerKind::InPlaceHazard, Site.Where, Fact);
    const auto Index = Site.Index ? inElement(*Site.Index, *Consumer.Accesses, *Consumer.Shape) : std::nullopt;
    if (!Index || !(*Index == Polynomial::atom(ElementAtom)) || Site.Width > 1)
      return refuse(BlockerKind::OtherElement, Site.Where,
                    fmt::format("{}: {}, whose index is {}; {}", Consumer.Name, Site.str(),
                                Index ? shown(*Index) : "not known", Stored));
    if (!Site.Direct)
      refuse(BlockerKind::IntermediateEscapes, Site.Where, Fact);
  }

  /// The producer's elements are the consumer's.
  void bounds(const Flow &F, const StoreProof &Proof, const std::string &Stored) {
    const VerticalNode &Consumer = Graph.Nodes[F.Consumer];
    const Polynomial Made = Graph.inArguments(F.Producer, Proof.Elements);
    const Polynomial Taken = Graph.inArguments(F.Consumer, Consumer.Shape->Bound);
    if (Made == Taken)
      return;
    bool ByGrid = false;
    for (int D = 0; D < 3; ++D)
      ByGrid |= Made.contains(builtinAtom(Builtin::GridDim, D));
    if (ByGrid) { // the launch says how many
      require(Made, Taken);
      require(Taken, Made);
      return;
    }
    const AccessSite *Load = siteOf(Consumer, F.In, AccessSite::Kind::Load);
    const AccessSite *Any = Load ? Load : &Consumer.Accesses->Sites.front();
    refuse(BlockerKind::DifferentBounds, Any->Where,
           fmt::format("{}: {}, of {} elements; {}, of {}", Consumer.Name, Any->str(), Taken.str(), Stored, Made.str()),
           linkOf(Made, Taken));
  }

  /// A function of the element that makes nothing but dead intermediates.
  void producer(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    if (N.Shape->Width > 1) {
      const AccessSite &Any = N.Accesses->Sites.front();
      const VerticalNode &Root = Graph.Nodes[Graph.Root];
      const bool Together = llvm::any_of(Graph.Flows, [&](const Flow &F) {
        return F.Producer == Node && F.Consumer == Graph.Root &&
               llvm::any_of(Root.sites(F.In), [](const AccessSite *Site) { return Site->Width > 1; });
      });
      refuse(BlockerKind::OtherElement, Any.Where,
             fmt::format("{}: {} stores {} elements at a time, {} {}", N.Name, Any.str(), N.Shape->Width, Root.Name,
                         Together ? "loads several for one of its own" : "loads them one by one"),
             Together ? "let " + Root.Name + " store as many elements as it loads, or use --cooperative" : "");
    }
    if (isBeside(Node))
      return beside(Node);
    for (const AccessSite &Site : N.Accesses->Sites)
      if (Site.What != AccessSite::Kind::Load && !Graph.isIntermediate(Node, Site.Parameter))
        refuse(BlockerKind::OtherStores, Site.Where, fmt::format("{}: {}", N.Name, Site.str()));
    for (const Finding &Report : N.Accesses->Reports)
      refuse(BlockerKind::OtherStores, Report.Where, fmt::format("{} calls {}", Report.Function, Report.What));
    Requirements.push_back({Graph.inArguments(Node, N.Shape->Bound), Polynomial::constant(MostElements)});
  }

  /// It runs where the root loads the first array that is kept, and so for each element once.
  void beside(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    const auto Kept = llvm::find_if(Graph.Flows, [&](const Flow &F) { return isToRoot(F) && !F.Dead; });
    const VerticalNode &Root = Graph.Nodes[Graph.Root];
    if (Kept == Graph.Flows.end())
      return refuse(BlockerKind::LiveIntermediate, N.Facts->Where, fmt::format("{}, beside {}", N.Name, Root.Name));
    if (!Root.parameter(Kept->In)->Idle.empty())
      return refuse(BlockerKind::LiveIntermediate, Root.Facts->Where,
                    Root.Name + " may load elements without need, or by functions");
    const Polynomial Made = Graph.inArguments(Kept->Producer, Graph.Nodes[Kept->Producer].Shape->Bound),
                     Own = Graph.inArguments(Node, N.Shape->Bound);
    if (!(Made == Own))
      refuse(BlockerKind::DifferentBounds, N.Facts->Where,
             fmt::format("{}, of {} elements; {} takes {}, of {}", N.Name, Own.str(), Root.Name, Kept->In, Made.str()),
             linkOf(Made, Own));
    for (const Polynomial &Size : N.Shape->Sizes)
      Requirements.push_back({{}, Graph.inArguments(Node, Size)});
    for (const Flow &F : Graph.Flows) // they are called with its elements
      if (F.Consumer == Node && F.Producer != Kept->Producer && !isBeside(F.Producer))
        refuse(BlockerKind::SeveralProducers, N.Facts->Where,
               fmt::format("{} takes {}.{}; {} takes {}", N.Name, Graph.Nodes[F.Producer].Name, F.Out, Root.Name,
                           Kept->In));
  }

  /// Does `From` lead to the other by flows?
  bool leadsTo(unsigned From, unsigned To) const {
    return From == To ||
           llvm::any_of(Graph.Flows, [&](const Flow &F) { return F.Producer == From && leadsTo(F.Consumer, To); });
  }

  bool isStoredAtLoad(const Flow &F) const {
    return llvm::any_of(Graph.Flows,
                        [&](const Flow &G) { return isToRoot(G) && G.Producer == F.Producer && G.Out == F.Out; });
  }

  /// The root's load has the memory of what it loads, and of nothing else that is computed there.
  bool hasMemoryAtLoad(const Flow &F) const {
    return isStoredAtLoad(F) && llvm::none_of(Graph.Flows, [&](const Flow &G) {
             return isToRoot(G) && !(G.Producer == F.Producer && G.Out == F.Out) && leadsTo(F.Producer, G.Producer);
           });
  }

  /// The producer runs where the consumer loads.
  void atLoad(const Flow &F) {
    const VerticalNode &Producer = Graph.Nodes[F.Producer], &Consumer = Graph.Nodes[F.Consumer];
    const std::string Stored = storedBy(Producer, F.Out);
    StoreProof Proof;
    // In place, each element is what was there before: of its own.
    isStoredOnce(F, std::nullopt, Proof, /*MayLoad=*/true);
    for (const Polynomial &Size : Producer.Shape->Sizes)
      Requirements.push_back({{}, Graph.inArguments(F.Producer, Size)});
    for (const AccessSite *Site : Producer.sites(F.Out))
      if (Site->What == AccessSite::Kind::Load && !isOwn(*Site, *Producer.Accesses, *Producer.Shape))
        refuse(BlockerKind::IntermediateRead, Site->Where,
               fmt::format("{}: {}; {}", Producer.Name, Site->str(), Stored));
    if (!F.Dead && !(isBeside(F.Consumer) && isStoredAtLoad(F)))
      live(F, Stored);
    const AccessSite *Loads = siteOf(Producer, F.Out, AccessSite::Kind::Load);
    if ((Loads || storesPartly(F.Out, *Producer.Accesses, *Producer.Shape)) && !hasMemoryAtLoad(F))
      refuse(BlockerKind::IntermediateRead, Loads ? Loads->Where : Producer.Facts->Where,
             fmt::format("{}: {} holds what was there before, and is not what {} loads", Producer.Name, F.Out,
                         Graph.Nodes[Graph.Root].Name));
    if (F.Consumer == Graph.Root)
      return loads(F, Consumer, Stored);
    if (!isBefore(F.Consumer))
      return refuse(
          BlockerKind::SeveralProducers, Consumer.Facts->Where,
          fmt::format("{}; {} is computed where {} loads", Consumer.Name, Stored, Graph.Nodes[Graph.Root].Name));
    for (const AccessSite *Site : Consumer.sites(F.In)) {
      checkOwn(*Site, Consumer, Stored, *this);
      if (Site->What == AccessSite::Kind::Store)
        refuse(BlockerKind::InPlaceHazard, Site->Where, fmt::format("{}: {}; {}", Consumer.Name, Site->str(), Stored));
    }
    const Polynomial Made = Graph.inArguments(F.Producer, Producer.Shape->Bound),
                     Taken = Graph.inArguments(F.Consumer, Consumer.Shape->Bound);
    if (!(Made == Taken))
      refuse(BlockerKind::DifferentBounds, Consumer.Accesses->Sites.front().Where,
             fmt::format("{}, of {} elements; {}, of {}", Consumer.Name, Taken.str(), Stored, Made.str()),
             linkOf(Made, Taken));
  }

  /// Is one loaded wherever the other is, by the same thread in the same turn?
  static bool areLoadedAsOne(const VerticalNode &Node, const std::string &A, const std::string &B) {
    const auto OfA = Node.sites(A), OfB = Node.sites(B);
    return Node.parameter(A)->Element == Node.parameter(B)->Element && llvm::all_of(OfA, [&](const AccessSite *Own) {
             return llvm::all_of(OfB, [&](const AccessSite *Other) { return areOne(*Own, *Other); });
           });
  }

  /// What stays is computed once, and stored then: the root must load all of it, each element in one place.
  void live(const Flow &F, const std::string &Stored) {
    const VerticalNode &Producer = Graph.Nodes[F.Producer], &Consumer = Graph.Nodes[F.Consumer];
    const auto Takers = llvm::count_if(Graph.Flows, [&](const Flow &Other) {
      return Other.Producer == F.Producer && !isBeside(Other.Consumer) &&
             !(Other.Consumer == F.Consumer && Other.Out == F.Out && areLoadedAsOne(Consumer, F.In, Other.In));
    });
    StoreProof Proof;
    std::optional<Blocker> Reason;
    if (F.Consumer == Graph.Root && Takers == 0)
      Reason = proveLoadedOnce(Consumer, F.In, Block, Proof);
    // What the text loads for nothing is computed, too: in place, not a second time.
    if (!Reason && siteOf(Producer, F.Out, AccessSite::Kind::Load) && !Consumer.parameter(F.In)->Idle.empty())
      Reason = Blocker{BlockerKind::LiveIntermediate, Consumer.Facts->Where,
                       Consumer.Name + " may load elements without need, or by functions"};
    if (F.Consumer != Graph.Root || Takers > 0 || Reason)
      return refuse(BlockerKind::LiveIntermediate, Producer.Facts->Where,
                    fmt::format("{}.{}, which {} takes as {}{}", Producer.Name, F.Out, Consumer.Name, F.In,
                                Reason ? ", not each element in one place: " + Reason->Fact : ""));
    for (const AtMost &Needed : Proof.Requirements)
      require(Graph.inArguments(F.Consumer, Needed.Left), Graph.inArguments(F.Consumer, Needed.Right));
    const Polynomial Made = Graph.inArguments(F.Producer, Producer.Shape->Bound),
                     Taken = Graph.inArguments(F.Consumer, Proof.Elements);
    // What is beyond, as a border is, is in memory.
    if (!Producer.Shape->Sizes.empty())
      return require(Made, Taken);
    if (!(Made == Taken))
      refuse(BlockerKind::DifferentBounds, Producer.Facts->Where,
             fmt::format("{} takes {} elements; {}, of {}", Consumer.Name, Taken.str(), Stored, Made.str()),
             linkOf(Made, Taken));
  }

  /// At whatever index: the object computes the element, or loads what the producer does not store.
  void loads(const Flow &F, const VerticalNode &Consumer, const std::string &Stored) {
    Polynomial Times;
    const std::vector<const AccessSite *> Sites = Consumer.sites(F.In);
    for (size_t I = 0; I < Sites.size(); ++I) {
      const AccessSite *Site = Sites[I];
      const std::string Fact = fmt::format("{}: {}; {}", Consumer.Name, Site->str(), Stored);
      if (Site->What == AccessSite::Kind::Store || Site->What == AccessSite::Kind::Atomic)
        refuse(BlockerKind::InPlaceHazard, Site->Where, Fact);
      else if (Site->What != AccessSite::Kind::Load || !Site->Direct || (Site->Width > 1 && !F.Dead) || Site->Compound)
        refuse(BlockerKind::IntermediateEscapes, Site->Where, Fact);
      else if (!Recompute || llvm::any_of(llvm::ArrayRef(Sites).take_front(I),
                                          [&](const AccessSite *Before) { return areOne(*Before, *Site); }))
        continue;
      else if (const auto Own = accessesPerElement(Consumer, *Site, Block))
        Times = Times + Graph.inArguments(F.Consumer, *Own);
      else
        refuse(BlockerKind::Recomputed, Site->Where, Fact + ": how often each element is loaded is not known");
    }
    Polynomial Least = Times; // by a grid of one block
    for (int D = 0; D < 3; ++D)
      Least = Least.substitute(builtinAtom(Builtin::GridDim, D), Polynomial::constant(1));
    const auto Number = Least.asConstant();
    if (!Recompute)
      return;
    if (!Number || *Number <= *Recompute) {
      if (!Times.asConstant()) // the launch says how often
        Requirements.push_back({Times, Polynomial::constant(*Recompute)});
      return;
    }
    const AccessSite *Load = siteOf(Consumer, F.In, AccessSite::Kind::Load);
    refuse(BlockerKind::Recomputed, Load->Where,
           fmt::format("{}: {}: {} times; {}", Consumer.Name, Load->str(), *Number, Stored));
  }

  const VerticalGraph &Graph;
  const BlockShape Block;
  const std::optional<unsigned> Recompute;
};

} // namespace

llvm::Expected<std::vector<AtMost>> checkInlineAtStore(const VerticalGraph &Graph, BlockShape Block,
                                                       std::optional<unsigned> Recompute) {
  return Check(Graph, Block, Recompute).run();
}

} // namespace cufuse
