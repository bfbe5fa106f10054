#include "cufuse/Dependence/Legality.h"

#include "Refusals.h"

#include "cufuse/Dependence/Sources.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

class Check : Refusals {
public:
  Check(const VerticalGraph &Graph, BlockShape Block, std::optional<unsigned> Recompute)
      : Graph(Graph), Sources(sourcesOf(Graph)), Block(Block), Recompute(Recompute) {}

  llvm::Expected<std::vector<AtMost>> run() {
    for (const Flow &F : Graph.Flows)
      if (!Graph.isBefore(F.Producer))
        atStore(F);
    for (unsigned Node : Graph.Before)
      producer(Node);
    for (const Source &S : Sources)
      if (S.Once && once(S))
        Proved.push_back(&S);
    for (const Flow &F : Graph.Flows)
      if (Graph.isBefore(F.Producer))
        atLoad(F);
    checkAliases(Graph, *this);
    return orRefusals(std::move(Requirements));
  }

private:
  /// Is every element that the consumer takes stored once?
  bool isStoredOnce(const Flow &F, std::optional<BlockShape> By, StoreProof &Proof) {
    const auto Reason = proveStoredOnce(Graph.Nodes[F.Producer], F.Out, By, Proof);
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
    // What another one has stored once.
    const bool Changes = !IsRoot && Graph.flowTo(F.Producer, F.Out);
    if (Changes)
      Proof.Elements = Producer.Shape->Bound;
    const bool Once = Changes || isStoredOnce(F, IsRoot ? std::optional(Block) : std::nullopt, Proof);
    if (Once && IsRoot)
      for (const AtMost &Needed : Proof.Requirements)
        require(Graph.inArguments(F.Producer, Needed));

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
    checkChanges(Graph, F, *this);
    if (Once)
      bounds(F, Proof, Stored);
  }

  void load(const AccessSite &Site, const VerticalNode &Consumer, const std::string &Stored) {
    const std::string Fact = fmt::format("{}: {}; {}", Consumer.Name, Site.str(), Stored);
    const auto Index = Site.Index ? inElement(*Site.Index, *Consumer.Accesses, *Consumer.Shape) : std::nullopt;
    if (!Index || !(*Index == Polynomial::atom(ElementAtom)) || Site.Width > 1)
      return refuse(BlockerKind::OtherElement, Site.Where,
                    fmt::format("{}: {}, whose index is {}; {}", Consumer.Name, Site.str(),
                                Index ? shown(*Index) : "not known", Stored));
    if (!Site.Direct)
      refuse(BlockerKind::IntermediateEscapes, Site.Where, Fact);
  }

  static bool isOfGrid(const Polynomial &P) {
    return llvm::any_of(P.atoms(), [](const std::string &Atom) { return Atom.starts_with("gridDim."); });
  }

  /// The producer's elements are the consumer's.
  void bounds(const Flow &F, const StoreProof &Proof, const std::string &Stored) {
    const VerticalNode &Consumer = Graph.Nodes[F.Consumer];
    const Polynomial Made = Graph.inArguments(F.Producer, Proof.Elements);
    const Polynomial Taken = Graph.inArguments(F.Consumer, Consumer.Shape->Bound);
    if (Made == Taken)
      return;
    if (isOfGrid(Made)) { // the launch says how many
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

  /// A function of one element.
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
    for (const Polynomial &Size : N.Shape->Sizes)
      Requirements.push_back({{}, Graph.inArguments(Node, Size)});
    Requirements.push_back({Graph.inArguments(Node, N.Shape->Bound), MostElements});
  }

  /// What it does beside is not to be done for every load.
  void otherEffects(unsigned Node, const std::string &Why) {
    const VerticalNode &N = Graph.Nodes[Node];
    for (const AccessSite &Site : N.Accesses->Sites)
      if (Site.What != AccessSite::Kind::Load && !Graph.isIntermediate(Node, Site.Parameter))
        refuse(BlockerKind::OtherStores, Site.Where, fmt::format("{}: {}; {}", N.Name, Site.str(), Why));
    for (const Finding &Report : N.Accesses->Reports)
      refuse(BlockerKind::OtherStores, Report.Where, fmt::format("{} calls {}; {}", Report.Function, Report.What, Why));
  }

  /// Something of it stays: the root must load all of the elements, each in one place.
  bool once(const Source &S) {
    const Flow &First = *S.Flows.front();
    const VerticalNode &Root = Graph.Nodes[Graph.Root], &Maker = Graph.Nodes[First.Producer];
    StoreProof Proof;
    const auto Reason = proveLoadedOnce(Root, First.In, Block, Proof);
    std::string Why =
        Reason ? fmt::format("{} takes {}, not each element in one place: {}", Root.Name, First.In, Reason->Fact) : "";
    const Polynomial Made = Graph.inArguments(First.Producer, Maker.Shape->Bound),
                     Taken = Graph.inArguments(Graph.Root, Proof.Elements);
    for (unsigned Node : S.Makers) {
      const VerticalNode &N = Graph.Nodes[Node];
      const Polynomial Own = Graph.inArguments(Node, N.Shape->Bound);
      if (!(Own == Made))
        refuse(
            BlockerKind::DifferentBounds, N.Facts->Where,
            fmt::format("{}, of {} elements; {} takes {}, of {}", N.Name, Own.str(), Root.Name, First.In, Made.str()),
            linkOf(Made, Own));
      const auto InMemory = llvm::find_if(Graph.Flows, [&](const Flow &F) {
        return F.Producer == Node && (Graph.isLive(Node, F.Out) || beginsInMemory(Graph, Node, F.Out));
      });
      const bool HasEffects = hasOtherEffects(Graph, Node), IsInMemory = InMemory != Graph.Flows.end(),
                 IsChanged = HasEffects || llvm::any_of(Graph.Flows, [&](const Flow &F) {
                               return F.Producer == Node && beginsInMemory(Graph, Node, F.Out);
                             });
      // What the text loads for nothing is computed, too: where it is changed, once more.
      if (Why.empty() && IsChanged &&
          llvm::any_of(S.Flows, [&](const Flow *F) { return !Root.parameter(F->In)->Idle.empty(); }))
        Why = Root.Name + " may load elements without need, or by functions";
      if (Why.empty() && (HasEffects || IsInMemory) && llvm::any_of(Sources, [&](const Source &Other) {
            return &Other != &S && llvm::is_contained(Other.Makers, Node);
          }))
        Why = fmt::format("{} takes what {} makes in several places", Root.Name, N.Name);
      if (!Why.empty() && HasEffects)
        otherEffects(Node, Why);
      if (!Why.empty() && IsInMemory)
        refuse(BlockerKind::LiveIntermediate, N.Facts->Where, fmt::format("{}.{}; {}", N.Name, InMemory->Out, Why),
               fmt::format("say --dead {}.{} if nothing else reads it, or launch the producer separately", N.Name,
                           InMemory->Out));
    }
    if (!Why.empty())
      return false;
    for (const AtMost &Needed : Proof.Requirements)
      require(Graph.inArguments(Graph.Root, Needed));
    if (Made == Taken)
      return true;
    // What is beyond, as a border is, is in memory. Or the launch says how many there are.
    if (!Maker.Shape->Sizes.empty() || isOfGrid(Taken)) {
      require(Made, Taken);
      if (Maker.Shape->Sizes.empty())
        require(Taken, Made);
      return true;
    }
    refuse(
        BlockerKind::DifferentBounds, Maker.Facts->Where,
        fmt::format("{} takes {} elements; {}, of {}", Root.Name, Taken.str(), storedBy(Maker, First.Out), Made.str()),
        linkOf(Made, Taken));
    return false;
  }

  /// The producer runs where the consumer loads.
  void atLoad(const Flow &F) {
    const VerticalNode &Producer = Graph.Nodes[F.Producer], &Consumer = Graph.Nodes[F.Consumer];
    const std::string Stored = storedBy(Producer, F.Out);
    // What it leaves as it is was there before.
    for (const AccessSite *Site : Producer.sites(F.Out))
      checkOwn(*Site, Producer, "where it stores the array itself", *this);
    checkChanges(Graph, F, *this);
    if (F.Consumer == Graph.Root)
      return loads(F, Consumer, Stored);
    if (!Graph.isBefore(F.Consumer))
      return refuse(
          BlockerKind::SeveralProducers, Consumer.Facts->Where,
          fmt::format("{}; {} is computed where {} loads", Consumer.Name, Stored, Graph.Nodes[Graph.Root].Name));
    for (const AccessSite *Site : Consumer.sites(F.In))
      checkOwn(*Site, Consumer, Stored, *this);
    const Polynomial Made = Graph.inArguments(F.Producer, Producer.Shape->Bound),
                     Taken = Graph.inArguments(F.Consumer, Consumer.Shape->Bound);
    if (!(Made == Taken))
      refuse(BlockerKind::DifferentBounds, Consumer.Accesses->Sites.front().Where,
             fmt::format("{}, of {} elements; {}, of {}", Consumer.Name, Taken.str(), Stored, Made.str()),
             linkOf(Made, Taken));
  }

  /// At whatever index: the object computes the element, or loads what the producer does not store.
  void loads(const Flow &F, const VerticalNode &Consumer, const std::string &Stored) {
    Polynomial Times;
    const std::vector<const AccessSite *> Sites = Consumer.sites(F.In);
    const bool Once = llvm::any_of(Proved, [&](const Source *S) { return llvm::is_contained(S->Flows, &F); });
    for (size_t I = 0; I < Sites.size(); ++I) {
      const AccessSite *Site = Sites[I];
      const std::string Fact = fmt::format("{}: {}; {}", Consumer.Name, Site->str(), Stored);
      if (Site->What == AccessSite::Kind::Store || Site->What == AccessSite::Kind::Atomic)
        refuse(BlockerKind::InPlaceHazard, Site->Where, Fact);
      else if (Site->What != AccessSite::Kind::Load || !Site->Direct || (Site->Width > 1 && Once) || Site->Compound)
        refuse(BlockerKind::IntermediateEscapes, Site->Where, Fact);
      else if (!Recompute || Once || llvm::any_of(llvm::ArrayRef(Sites).take_front(I), [&](const AccessSite *Before) {
                 return areOne(*Before, *Site);
               }))
        continue;
      else if (const auto Own = accessesPerElement(Consumer, *Site, Block))
        Times = Times + Graph.inArguments(F.Consumer, *Own);
      else
        refuse(BlockerKind::Recomputed, Site->Where, Fact + ": how often each element is loaded is not known");
    }
    Polynomial Least = Times; // by a grid of one block
    for (int D = 0; D < 3; ++D)
      Least = Least.substitute(builtinAtom(Builtin::GridDim, D), 1);
    const auto Number = Least.asConstant();
    if (!Recompute)
      return;
    if (!Number || *Number <= *Recompute) {
      if (!Times.asConstant()) // the launch says how often
        Requirements.push_back({Times, *Recompute});
      return;
    }
    const AccessSite *Load = siteOf(Consumer, F.In, AccessSite::Kind::Load);
    refuse(BlockerKind::Recomputed, Load->Where,
           fmt::format("{}: {}: {} times; {}", Consumer.Name, Load->str(), *Number, Stored),
           fmt::format("allow it with --recompute {}, or launch the producer separately", *Number));
  }

  const VerticalGraph &Graph;
  const std::vector<Source> Sources;
  std::vector<const Source *> Proved; ///< Of which each element is made once.
  const BlockShape Block;
  const std::optional<unsigned> Recompute;
};

} // namespace

llvm::Expected<std::vector<AtMost>> checkInlineAtStore(const VerticalGraph &Graph, BlockShape Block,
                                                       std::optional<unsigned> Recompute) {
  return Check(Graph, Block, Recompute).run();
}

} // namespace cufuse
