#include "cufuse/Dependence/BlockLocal.h"

#include "Refusals.h"
#include "RowForm.h"

#include "cufuse/Dependence/InTurn.h"
#include "cufuse/Dependence/Streams.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

namespace cufuse {

namespace {

class BlockPlanner : Refusals {
public:
  BlockPlanner(const VerticalGraph &Graph, BlockShape Block, bool Reassociate)
      : Graph(Graph), Block(Block), Reassociate(Reassociate) {}

  llvm::Expected<BlockLocalPlan> run() {
    if (const VerticalNode *Consumer = rowConsumer(Graph))
      Plan.Reason = Consumer->Name + " works on rows";
    Plan.ByElement.resize(Graph.Nodes.size());
    Plan.Loops.resize(Graph.Nodes.size());
    Plan.Parts.resize(Graph.Nodes.size());
    for (unsigned Node : Graph.Order)
      stage(Node);
    findRow();
    for (const Flow &F : Graph.Flows)
      Plan.Values.push_back(flow(F));
    if (llvm::is_contained(Plan.Values, RowValue::Element))
      require(Plan.Length, Plan.Stride); // no element belongs to two rows
    if (Reassociate)
      widen();
    for (unsigned Node : Graph.Order) {
      groups(Node);
      parts(Node);
    }
    inputs();
    if (Plan.Wide > 1)
      streams();
    Plan.MostTurns = mostTurns(Block, bytesKept(Graph, Plan), Plan.Wide);
    Plan.Barriers = barriersOf(Graph, [this](unsigned Before, unsigned Node) { return handedOn(Before, Node); });
    for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node)
      if (Plan.ByElement[Node])
        elements(Node);
      else
        sharesRows(Node);
    for (int D = Plan.Dimensions; D < 3; ++D)
      require(Polynomial::atom(builtinAtom(Builtin::GridDim, D)), 1);
    checkAliases(Graph, *this, InMemory::Dead);
    Plan.Requirements = std::move(Requirements);
    return orRefusals(std::move(Plan));
  }

private:
  void stage(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    Plan.ByElement[Node] = isFree(N);
    for (const ParameterAccess &P : N.Accesses->Parameters)
      if (P.Parts > 1)
        refuse(BlockerKind::NotByRow, N.Facts->Where,
               fmt::format("{}.{} has elements that are {} of another kernel's", N.Name, P.Name, P.Parts));
    if (Block.Y != 1 || Block.Z != 1)
      refuse(BlockerKind::RowBlock, N.Facts->Where, fmt::format("{} would have blocks of {}", N.Name, Block.str()));
    goesOn(N, Block, Node == Graph.Order.back(), BlockerKind::NotByRow);
  }

  /// An access in the arguments that remain; in a pointwise kernel, one to the element is one to the row.
  std::optional<RowAccess> access(unsigned Node, const AccessSite &Site) const {
    const VerticalNode &N = Graph.Nodes[Node];
    if (isGroup(Node))
      return isOwn(Site, *N.Accesses, *N.Shape) && isFollowedInGroups(Site, N) ? std::optional(ofRow()) : std::nullopt;
    if (Plan.ByElement[Node])
      return Site.Index && Site.Width == 1 ? ofElement(Node, Site) : std::nullopt;
    std::optional<RowAccess> Access = byLoop(Node, Site);
    return Access && Access->Along == 1 ? Access : std::nullopt;
  }

  /// The same of a kernel that is not pointwise, whatever is between the elements of a loop.
  std::optional<RowAccess> byLoop(unsigned Node, const AccessSite &Site) const {
    return rowInArguments(Graph, Node, Site, Block);
  }

  /// A pointwise kernel that takes several elements at a time.
  bool isGroup(unsigned Node) const { return Plan.ByElement[Node] && Graph.Nodes[Node].Shape->Width > 1; }

  /// They must be those that a thread has next to each other.
  void groups(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    if (!isGroup(Node))
      return;
    Plan.ByGroups = true;
    if (N.Shape->Width != Plan.Wide)
      refuse(BlockerKind::NotByRow, N.Facts->Where,
             fmt::format("{} works on {} elements at a time", N.Name, N.Shape->Width) +
                 (Reassociate ? fmt::format(", the others on {}", Plan.Wide) : ", which needs --reassociate"),
             Reassociate ? "" : "say --reassociate");
  }

  RowAccess ofRow(RowAccess Access = {}) const {
    std::tie(Access.Stride, Access.Length, Access.Dimensions) = std::tie(Plan.Stride, Plan.Length, Plan.Dimensions);
    Access.Base = Plan.Stride * blockNumber(Plan.Dimensions);
    return Access;
  }

  /// `e`, `e / length` and `e % length`, where the element is `e`.
  std::optional<RowAccess> ofElement(unsigned Node, const AccessSite &Site) const {
    const VerticalNode &N = Graph.Nodes[Node];
    auto Is = [&](const Polynomial &P) { return inElement(P, *N.Accesses, *N.Shape) == Polynomial::atom(ElementAtom); };
    RowAccess Access = ofRow();
    Access.EveryTurn = llvm::all_of(Site.Path, [&](const PathStep &Step) {
      return Step.Exact && llvm::all_of(Step.Holds, [&](const Less &L) {
               return Is(L.Left) && inElement(L.Right, *N.Accesses, *N.Shape) == N.Shape->Bound;
             });
    });
    if (Is(*Site.Index))
      return Access;
    Access.Stride = Access.Base = {};
    for (const std::string &Atom : Site.Index->atoms())
      if (const auto Q = N.Accesses->Quotients.find(Atom); Q != N.Accesses->Quotients.end() && !isWrap(Atom) &&
                                                           Is(Q->second.Dividend) &&
                                                           Graph.inArguments(Node, Q->second.Divisor) == Plan.Length) {
        const Polynomial Row = Polynomial::atom(Atom);
        Access.Scalar = *Site.Index == Row;
        if (Access.Scalar || Is(*Site.Index + Row * Q->second.Divisor))
          return Access;
      }
    return std::nullopt;
  }

  /// The row is that of the first intermediate or input that is accessed by row.
  void findRow() {
    auto Take = [&](unsigned Node, llvm::StringRef Parameter) {
      if (Plan.ByElement[Node] || Plan.keepsRows())
        return;
      for (const AccessSite *Site : Graph.Nodes[Node].sites(Parameter))
        if (const auto Access = access(Node, *Site); Access && !Access->Scalar && !Access->Stride.isZero()) {
          Plan.Stride = Access->Stride;
          Plan.Length = Access->Length;
          Plan.Dimensions = Access->Dimensions;
          return;
        }
    };
    for (const Flow &F : Graph.Flows) {
      Take(F.Producer, F.Out);
      Take(F.Consumer, F.In);
    }
    for (const auto &[Memory, Readers] : readers())
      if (Readers.size() > 1)
        for (const auto &[Node, Parameter] : Readers)
          Take(Node, Parameter);
    if (!Plan.keepsRows() && !Graph.Flows.empty()) // one value of each row
      if (const Flow &F = Graph.Flows.front(); !Plan.ByElement[F.Producer])
        if (const auto Made = access(F.Producer, *Graph.Nodes[F.Producer].sites(F.Out).front()))
          Plan.Dimensions = Made->Dimensions;
  }

  /// Rows are counted alike.
  bool isNumbered(const RowAccess &A) const { return A.Dimensions == Plan.Dimensions; }
  bool isRow(const RowAccess &A) const {
    return !A.Scalar && A.Stride == Plan.Stride && A.Length == Plan.Length && isNumbered(A);
  }

  /// The parts of the row that the sites are of; one if they are not.
  RowParts partsOf(unsigned Node, llvm::ArrayRef<const AccessSite *> Sites) const {
    std::vector<RowAccess> All;
    for (const AccessSite *Site : Sites)
      if (const auto A = Plan.ByElement[Node] ? std::nullopt : byLoop(Node, *Site); A && !A->Scalar)
        All.push_back(*A);
    if (All.size() != Sites.size())
      return {};
    const RowParts Parts = rowParts(All, Plan.Stride * blockNumber(Plan.Dimensions));
    return Parts.Length == Plan.Length ? RowParts() : Parts; // another row is no part of this one
  }

  /// An access to the intermediate; to a part of the row, it is one to the row.
  std::optional<RowAccess> taken(unsigned Node, const AccessSite &Site, const RowParts &Parts) const {
    return Parts.Count == 1 ? access(Node, Site) : ofRow(*byLoop(Node, Site));
  }

  /// Parts are within the row. Elements next to each other are of one thread where it has several.
  void parts(unsigned Node) {
    const RowParts &Parts = Plan.Parts[Node];
    if (Parts.Count == 1)
      return;
    const VerticalNode &N = Graph.Nodes[Node];
    require(Parts.Length * Parts.Count, Plan.Length);
    if (Parts.Interleaved && (Plan.ByGroups || Plan.Wide % Parts.Count != 0))
      refuse(BlockerKind::NotByRow, N.Facts->Where,
             fmt::format("{} takes {} elements of a row that stand next to each other{}", N.Name, Parts.Count,
                         Plan.Narrow.empty() ? "" : ", and " + Plan.Narrow),
             Reassociate ? "" : "say --reassociate, by which a thread has them");
  }

  void keep(unsigned Node, const RowAccess &A, const RowParts &Parts = {}) {
    if (Plan.ByElement[Node] || A.Scalar)
      return;
    const VerticalNode &N = Graph.Nodes[Node];
    if (!Plan.Loops[Node].empty() && !(Plan.Parts[Node] == Parts))
      refuse(BlockerKind::NotByRow, N.Facts->Where, N.Name + " goes over the whole row, and over parts of it");
    Plan.Parts[Node] = Parts;
    if (A.Step) {
      const Polynomial Size = Block.X, Step = Graph.inArguments(Node, *A.Step);
      require(Step, Size);
      require(Size, Step);
      Plan.Sizes.insert({Node, A.Step->str()});
    }
    const unsigned Loop = *Graph.Nodes[Node].Accesses->Loops[A.Loop].Statement;
    if (!llvm::is_contained(Plan.Loops[Node], Loop))
      Plan.Loops[Node].push_back(Loop);
  }

  RowValue flow(const Flow &F) {
    const VerticalNode &Producer = Graph.Nodes[F.Producer], &Consumer = Graph.Nodes[F.Consumer];
    const std::vector<const AccessSite *> Stores = Producer.sites(F.Out), Loads = Consumer.sites(F.In);
    const AccessSite &Store = *Stores.front();
    const std::string Stored = fmt::format("{} stores {}", Producer.Name, Store.str());
    const std::optional<RowAccess> Made = access(F.Producer, Store);
    const std::string Taker = "; " + Consumer.Name + " takes it as " + F.In;
    const bool Scalar = Made && Made->Scalar;
    if (Scalar)
      scalar(Producer, Stores, *Made, Taker);
    else
      row(F, Stores, Taker);
    const RowParts Parts = Scalar ? RowParts() : partsOf(F.Consumer, Loads);
    const bool MayChange = !Scalar && !Plan.ByElement[F.Consumer] && isAlone(F);
    for (const AccessSite *Site : Loads) {
      const std::string Fact = fmt::format("{}: {}; {}", Consumer.Name, Site->str(), Stored);
      const bool Changes = Site->What == AccessSite::Kind::Store || Site->Compound;
      if (Changes && !MayChange) {
        refuse(BlockerKind::InPlaceHazard, Site->Where, Fact);
        continue;
      }
      if ((Site->What != AccessSite::Kind::Load && !Changes) || !Site->Direct) {
        refuse(BlockerKind::IntermediateEscapes, Site->Where, Fact);
        continue;
      }
      const std::optional<RowAccess> Taken = taken(F.Consumer, *Site, Parts);
      if (!Taken || !Made || Taken->Scalar != Scalar ||
          (Scalar ? !isNumbered(*Made) || !isNumbered(*Taken) : Taken->Stride.isZero() || Made->Stride.isZero())) {
        refuse(BlockerKind::NotByRow, Site->Where, Fact);
        continue;
      }
      if (!Scalar && (!isRow(*Taken) || !isRow(*Made)))
        refuse(BlockerKind::DifferentBounds, Site->Where,
               fmt::format("{}, rows of {} elements, {} apart; {} by rows of {}, {} apart", Fact, Taken->Length.str(),
                           Taken->Stride.str(), Producer.Name, Made->Length.str(), Made->Stride.str()),
               linkOf(Made->Length, Taken->Length));
      for (const Less &Guard : Made->Rows)
        if (!llvm::is_contained(Taken->Rows, Guard))
          refuse(BlockerKind::StoredSometimes, Store.Where,
                 fmt::format("{}, only if {} < {}; {}: {}", Stored, Guard.Left.str(), Guard.Right.str(), Consumer.Name,
                             Site->str()));
      keep(F.Consumer, *Taken, Parts);
    }
    return Scalar ? RowValue::Scalar : RowValue::Element;
  }

  /// Does no other kernel take what this one does?
  bool isAlone(const Flow &F) const {
    return llvm::none_of(Graph.Flows, [&](const Flow &Other) {
      return Other.Consumer != F.Consumer && Other.Producer == F.Producer && Other.Out == F.Out;
    });
  }

  /// Nothing but stores that an object in the parameter's place sees; or also loads.
  bool isStored(const VerticalNode &Producer, llvm::ArrayRef<const AccessSite *> Sites, const std::string &Taker,
                bool MayLoad = false) {
    for (const AccessSite *Site : Sites) {
      const std::string Fact = Producer.Name + ": " + Site->str() + Taker;
      if (Site->What == AccessSite::Kind::Atomic)
        return refuse(BlockerKind::IntermediateAtomic, Site->Where, Fact), false;
      if (!MayLoad && (Site->What == AccessSite::Kind::Load || Site->Compound))
        return refuse(BlockerKind::IntermediateRead, Site->Where, Fact), false;
      if (Site->What == AccessSite::Kind::Escape || !Site->Direct)
        return refuse(BlockerKind::IntermediateEscapes, Site->Where, Fact), false;
    }
    return true;
  }

  /// One value, by the first thread.
  void scalar(const VerticalNode &Producer, llvm::ArrayRef<const AccessSite *> Stores, const RowAccess &Made,
              const std::string &Taker) {
    if (!isStored(Producer, Stores, Taker))
      return;
    if (Stores.size() > 1)
      refuse(BlockerKind::StoredTwice, Stores[1]->Where,
             fmt::format("{}: {} and {}{}", Producer.Name, Stores[0]->str(), Stores[1]->str(), Taker));
    else if (!Made.OfBlock)
      refuse(BlockerKind::StoredSometimes, Stores[0]->Where,
             fmt::format("{}: {}, not by `if (threadIdx.x == 0)` alone{}", Producer.Name, Stores[0]->str(), Taker));
  }

  /// Every element of the row, each by the thread that has it.
  void row(const Flow &F, llvm::ArrayRef<const AccessSite *> Stores, const std::string &Taker) {
    const VerticalNode &Producer = Graph.Nodes[F.Producer];
    if (isGroup(F.Producer)) {
      const ParameterAccess &P = *Producer.parameter(F.Out);
      for (const AccessSite *Site : Stores)
        if (!access(F.Producer, *Site) || !Site->Direct || !P.Kept || !P.Otherwise.empty() ||
            Site->What != AccessSite::Kind::Store)
          return refuse(BlockerKind::NotByRow, Site->Where, Producer.Name + ": " + Site->str() + Taker);
      if (const AccessSite *Site = storesOtherwise(F.Out, *Producer.Accesses, *Producer.Shape))
        refuse(BlockerKind::StoredSometimes, Site->Where, Producer.Name + ": " + Site->str() + Taker);
      return;
    }
    if (Plan.ByElement[F.Producer]) {
      const bool Changes = llvm::any_of(Producer.sites(F.Out), [&](const AccessSite *Site) {
        const auto Loaded = Site->What == AccessSite::Kind::Load ? access(F.Producer, *Site) : std::nullopt;
        return Loaded && isRow(*Loaded) && Site->Direct && !mayBeAliased(Producer, F.Out);
      });
      StoreProof Proof;
      if (const auto Reason = proveStoredOnce(Producer, F.Out, std::nullopt, Proof, /*MayLoad=*/Changes))
        refuse(Reason->Kind, Reason->Where, Reason->Fact + Taker);
      for (const AccessSite *Site : Producer.sites(F.Out))
        if (Changes && !access(F.Producer, *Site))
          refuse(BlockerKind::IntermediateRead, Site->Where, Producer.Name + ": " + Site->str() + Taker);
      if (Changes && !Graph.flowTo(F.Producer, F.Out))
        Plan.Changed.insert({F.Producer, F.Out});
      return;
    }
    // It may change its own elements of a row that each block has: they are loaded before, and all are there behind it.
    const bool MayLoad = !mayBeAliased(Producer, F.Out) && llvm::all_of(Stores, [&](const AccessSite *Site) {
      const auto Own = access(F.Producer, *Site);
      return Own && isRow(*Own) && Own->OfBlock && Own->Rows.empty();
    });
    const bool Changes = MayLoad && llvm::any_of(Stores, [](const AccessSite *Site) {
                           return Site->What == AccessSite::Kind::Load || Site->Compound;
                         });
    if (!isStored(Producer, Stores, Taker, MayLoad))
      return;
    std::optional<RowAccess> First;
    for (const AccessSite *Site : Stores) {
      const std::optional<RowAccess> Made = access(F.Producer, *Site);
      if (!Made || !isRow(*Made) || (First && !Changes && First->Loop != Made->Loop))
        return refuse(BlockerKind::NotByRow, Site->Where, Producer.Name + ": " + Site->str() + Taker);
      First = Made;
      keep(F.Producer, *Made);
    }
    if (Changes && !Graph.flowTo(F.Producer, F.Out))
      Plan.Changed.insert({F.Producer, F.Out});
    else if (!Changes && (!First->OfBlock || !isCertain(Stores, First->Depth + 1)))
      refuse(BlockerKind::StoredSometimes, Stores[0]->Where,
             fmt::format("{}: {}, not in every turn of its loop{}", Producer.Name, Stores[0]->str(), Taker));
  }

  /// Does every block of some kernel go over its row, whatever its number?
  bool isEveryBlocks() {
    for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node)
      for (const AccessSite &Site : Graph.Nodes[Node].Accesses->Sites)
        if (const auto Access = Plan.ByElement[Node] ? std::nullopt : access(Node, Site);
            Access && isRow(*Access) && usesWholeRange(Site, Graph.Nodes[Node], Block, Access->Step)) {
          keep(Node, *Access); // which asks the launch for the step
          return true;
        }
    return false;
  }

  /// A pointwise kernel's elements are those of the rows.
  void elements(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    Polynomial All = Plan.Length;
    for (unsigned D = 0; D < Plan.Dimensions; ++D)
      All = All * Polynomial::atom(builtinAtom(Builtin::GridDim, D));
    if (!N.Shape->Unbounded) {
      const Polynomial Bound = Graph.inArguments(Node, N.Shape->Bound);
      // Where it has no tail, it has whole groups alone.
      const unsigned Behind = isGroup(Node) && !N.Shape->Tail ? N.Shape->Width - 1 : 0;
      require(All, Bound);
      require(Bound, All + Behind);
    } else if (!isEveryBlocks()) {
      // It has as many elements as its launch has threads: none of a row that the others leave out.
      refuse(BlockerKind::NotByRow, N.Facts->Where,
             fmt::format("{} has no bound, and the others' blocks may have no row", N.Name));
    }
    if (N.Shape->Elements)
      requireSame(Graph.inArguments(Node, *N.Shape->Elements), All);
    require(All, MostElements);
    if (!Plan.keepsRows())
      refuse(BlockerKind::NotByRow, N.Facts->Where, fmt::format("{} works on elements, and nothing on rows", N.Name));
    const auto Part = Graph.Quotients.find(Plan.Length.str());
    if ((Plan.Stride - Plan.Length).asConstant().value_or(0) != 0 ||
        (Part != Graph.Quotients.end() && Part->second.Dividend == Plan.Stride))
      refuse(BlockerKind::DifferentBounds, N.Facts->Where,
             fmt::format("{} has all elements, and rows {} of {}", N.Name, Plan.Length.str(), Plan.Stride.str()));
    require(Plan.Stride, Plan.Length);
    require(Plan.Length, Plan.Stride);
  }

  /// All kernels get one grid. One that nothing ties to the rows of the others may be meant for another.
  void sharesRows(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    const bool Linked =
        llvm::any_of(Graph.Flows, [&](const Flow &F) { return F.Producer == Node || F.Consumer == Node; });
    if (!Linked && llvm::none_of(N.Accesses->Sites, [&](const AccessSite &Site) {
          const auto Access = access(Node, Site);
          return Access && (Access->Scalar ? isOfOthers(Node, Site.Parameter) : isRow(*Access));
        }))
      refuse(BlockerKind::NotByRow, N.Facts->Where,
             N.Name + " takes nothing of the others, and does not work on their rows, so that its grid may be another");
  }

  /// Has another kernel the array, too?
  bool isOfOthers(unsigned Node, const std::string &Parameter) const {
    return llvm::any_of(Graph.Order, [&](unsigned Other) {
      return Other != Node && llvm::any_of(Graph.Nodes[Other].Accesses->Parameters, [&](const ParameterAccess &P) {
               return Graph.memory(Other, P.Name) == Graph.memory(Node, Parameter);
             });
    });
  }

  using Memory = std::pair<unsigned, std::string>;
  /// Parameters that nothing but loads goes through, by memory.
  std::map<Memory, std::vector<Memory>> readers() const {
    std::map<Memory, std::vector<Memory>> All;
    for (unsigned Node : Graph.Order)
      for (const ParameterAccess &P : Graph.Nodes[Node].Accesses->Parameters)
        if (!P.Element.empty() && P.ReadOnly && P.Kept && P.Otherwise.empty() &&
            isOnlyLoaded(Graph.Nodes[Node], P.Name) && !P.Volatile && !Graph.flowTo(Node, P.Name))
          All[Graph.memory(Node, P.Name)].push_back({Node, P.Name});
    return All;
  }

  /// The accesses through a parameter, where all of them are loads, or all stores, of the same row; else none.
  std::vector<RowAccess> rowOf(unsigned Node, const std::string &Parameter, AccessSite::Kind What) const {
    std::vector<RowAccess> Rows;
    if (isGroup(Node)) // its accesses are as wide as they can be
      return {};
    for (const AccessSite *Site : Graph.Nodes[Node].sites(Parameter)) {
      const auto Access = access(Node, *Site);
      if (!Access || Access->Scalar || !(Access->Length == Plan.Length) || Site->What != What || !Site->Direct ||
          Site->Compound || (!Rows.empty() && !(Access->Base == Rows.front().Base)))
        return {};
      Rows.push_back(*Access);
    }
    return Rows;
  }
  static bool isAlways(const RowAccess &A) { return A.EveryTurn && A.OfBlock && A.Rows.empty(); }

  void inputs() {
    if (!Plan.keepsRows())
      return;
    for (const auto &[Memory, Readers] : readers()) {
      RowInput Input;
      std::tie(Input.Node, Input.Parameter) = Memory;
      unsigned Places = 0;
      bool Certain = false;
      for (const auto &[Node, Parameter] : Readers) {
        std::vector<RowAccess> Rows = rowOf(Node, Parameter, AccessSite::Kind::Load);
        if (Rows.empty() && Plan.Wide > 1 && Readers.size() == 1)
          Rows = rowsByData(Graph, Node, Parameter, Block, Plan, Input);
        if (Rows.empty() || (!Input.Readers.empty() && !(Rows.front().Base == Input.Base)))
          continue;
        if (Input.Base.isZero())
          Input.Base = Rows.front().Base;
        std::set<unsigned> Loops;
        for (const RowAccess &A : Rows)
          Loops.insert(A.Loop);
        Certain |= llvm::any_of(Rows, isAlways);
        Places += Loops.size();
        Input.Readers.push_back({Node, Parameter});
      }
      if (!Certain || (Places < 2 && Plan.Wide == 1))
        continue;
      // Several elements at a time are all under way before anything waits.
      if (Plan.Wide == 1)
        Input.FirstUse = llvm::find(Graph.Order, Input.Readers.front().first) - Graph.Order.begin();
      for (const auto &[Node, Parameter] : Input.Readers)
        for (const AccessSite *Site : Graph.Nodes[Node].sites(Parameter))
          if (Site->Index)
            keep(Node, *access(Node, *Site));
      Plan.Inputs.push_back(std::move(Input));
    }
  }

  // Several elements at a time.

  /// What the thread has of a row in memory alone, it has several elements of at a time, too.
  void streams() {
    for (unsigned Node : Graph.Order)
      for (const ParameterAccess &P : Graph.Nodes[Node].Accesses->Parameters) {
        const bool Stores = Graph.Nodes[Node].stores(P.Name);
        if (P.Element.empty() || !isFollowed(Node, P) || mayBeAliased(Graph.Nodes[Node], P.Name))
          continue;
        const auto Rows = rowOf(Node, P.Name, Stores ? AccessSite::Kind::Store : AccessSite::Kind::Load);
        if (Rows.empty() || (Stores && Rows.size() > 1) ||
            !llvm::all_of(Rows, [&](const RowAccess &A) { return A.EveryTurn && A.OfBlock && isPlayed(Node, A); }))
          continue;
        RowStream &Stream = Plan.Streams.emplace_back(Node, P.Name, Rows.front().Base, Stores);
        if (llvm::all_of(Rows, [&](const RowAccess &A) { return A.Rows == Rows.front().Rows; }))
          Stream.Rows = Rows.front().Rows;
      }
  }
  bool isFollowed(unsigned Node, const ParameterAccess &P) const {
    return P.Kept && P.Otherwise.empty() && !P.Volatile && !P.Constructed && llvm::isPowerOf2_32(P.Bytes) &&
           !Graph.flowTo(Node, P.Name) && !Graph.isIntermediate(Node, P.Name) &&
           llvm::none_of(Plan.Inputs, [&](const RowInput &Input) {
             return llvm::is_contained(Input.Readers, std::pair(Node, P.Name));
           });
  }

  bool isPlayed(unsigned Node, const RowAccess &A) const {
    return Plan.ByElement[Node] ||
           llvm::is_contained(Plan.Loops[Node], *Graph.Nodes[Node].Accesses->Loops[A.Loop].Statement);
  }

  /// 16 bytes at a time of the widest that is by row, if it makes no difference which thread has which element.
  void widen() {
    constexpr unsigned Bytes = 16;
    unsigned Widest = 0;
    for (unsigned Node : Graph.Order) {
      const VerticalNode &N = Graph.Nodes[Node];
      for (const AccessSite &Site : N.Accesses->Sites) {
        const auto Access = access(Node, Site);
        if (!Access || Access->Scalar || !(Access->Length == Plan.Length))
          continue;
        keep(Node, *Access);
        Widest = std::max(Widest, N.parameter(Site.Parameter)->Bytes);
        if (!Plan.ByElement[Node] && !Access->OfBlock)
          Plan.Narrow = fmt::format("{}: {} is not for all threads of the block", N.Name, Site.str());
      }
    }
    for (unsigned Node : Graph.Order)
      if (std::string Why = Plan.ByElement[Node] ? "" : ofThreads(Node); !Why.empty())
        Plan.Narrow = fmt::format("{}: {}", Graph.Nodes[Node].Name, Why);
    if (!Plan.keepsRows())
      Plan.Narrow = "nothing of a row is kept";
    else if (Widest == 0 || Widest > Bytes / 2 || !llvm::isPowerOf2_32(Widest))
      Plan.Narrow = fmt::format("an element has {} bytes", Widest);
    Plan.Wide = Plan.Narrow.empty() ? Bytes / Widest : 1;
  }

  /// Why elements of the row belong to their threads; nothing if they do not.
  std::string ofThreads(unsigned Node) const {
    const VerticalNode &N = Graph.Nodes[Node];
    auto IsRow = [&](const LoopAccess &Loop) {
      return Loop.Statement && llvm::is_contained(Plan.Loops[Node], *Loop.Statement);
    };
    auto IsPlayed = [&](const PathStep &Step) {
      return Step.What == PathStep::Kind::Loop && IsRow(N.Accesses->Loops[Step.Id]);
    };
    std::vector<unsigned> Loops;
    for (const auto &[Number, Loop] : llvm::enumerate(N.Accesses->Loops))
      if (IsRow(Loop)) {
        if (!Loop.Bound.empty())
          return fmt::format("{}, {}", Loop.Bound.front().What, Loop.Bound.front().Where.str());
        Loops.push_back(static_cast<unsigned>(Number));
      }
    if (Reassociate && !Loops.empty())
      if (const auto Why = N.Accesses->NeedsThreads(Block, Loops))
        return fmt::format("{}, {}", Why->What, Why->Where.str());
    // What a thread stores, and then loads, must be there by the same turns.
    for (const AccessSite &Site : N.Accesses->Sites) {
      if (!N.stores(Site.Parameter) || Graph.flowTo(Node, Site.Parameter)) // which is its own elements
        continue;
      const auto All = N.sites(Site.Parameter);
      const auto Access = access(Node, Site);
      if (All.size() > 1 && llvm::any_of(Site.Path, IsPlayed) != llvm::any_of(All.front()->Path, IsPlayed))
        return fmt::format("{} and {} are not both in loops over the row", Site.str(), All.front()->str());
      if (llvm::any_of(Site.Path, IsPlayed) &&
          (!Access || Access->Scalar || !(Access->Base == access(Node, *All.front())->Base)))
        return Site.str() + " is not of the row";
      if (llvm::any_of(Site.Path, IsPlayed) && All.size() > 1 && mayBeAliased(N, Site.Parameter))
        return Site.str() + " may have another name";
    }
    return {};
  }

  /// A scalar that the one has stored and the other loads.
  std::string handedOn(unsigned Before, unsigned Node) const {
    for (size_t At = 0; At < Graph.Flows.size(); ++At)
      if (const Flow &F = Graph.Flows[At];
          F.Producer == Before && F.Consumer == Node && Plan.Values[At] == RowValue::Scalar)
        return fmt::format("{} has stored {}", Graph.Nodes[Before].Name, F.Out);
    return {};
  }

  const VerticalGraph &Graph;
  const BlockShape Block;
  const bool Reassociate;
  BlockLocalPlan Plan;
};

} // namespace

llvm::Expected<BlockLocalPlan> planBlockLocal(const VerticalGraph &Graph, BlockShape Block, bool Reassociate) {
  return BlockPlanner(Graph, Block, Reassociate).run();
}

} // namespace cufuse
