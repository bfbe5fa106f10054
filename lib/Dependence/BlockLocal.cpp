#include "cufuse/Dependence/BlockLocal.h"

#include "Refusals.h"
#include "RowForm.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

/// Registers are 64 K for all threads of a multiprocessor: a row leaves a thread 40 of its own for all else.
unsigned mostTurns(BlockShape Block, unsigned BytesOfElement) {
  const std::uint64_t Registers = std::min<std::uint64_t>(65536 / Block.threads(), 256) - 40;
  const std::uint64_t OfElement = std::max(1u, (BytesOfElement + 3) / 4);
  return std::min<std::uint64_t>(llvm::bit_floor(Registers / OfElement), Block.X <= 512 ? 32 : 16);
}

class Planner : Refusals {
public:
  Planner(const VerticalGraph &Graph, BlockShape Block) : Graph(Graph), Block(Block) {}

  llvm::Expected<BlockLocalPlan> run() {
    if (const VerticalNode *Consumer = rowConsumer(Graph))
      Plan.Reason = Consumer->Name + " works on rows";
    Plan.ByElement.resize(Graph.Nodes.size());
    Plan.Loops.resize(Graph.Nodes.size());
    for (unsigned Node : Graph.Order)
      stage(Node);
    findRow();
    for (const Flow &F : Graph.Flows)
      Plan.Values.push_back(flow(F));
    if (llvm::is_contained(Plan.Values, RowValue::Element))
      require(Plan.Length, Plan.Stride); // no element belongs to two rows
    inputs();
    Plan.MostTurns = mostTurns(Block, widestKept());
    for (size_t I = 0; I < Graph.Order.size(); ++I)
      Plan.Barriers.push_back(barrier(I));
    for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node)
      if (Plan.ByElement[Node])
        elements(Node);
      else
        sharesRows(Node);
    for (int D = 1; D < 3; ++D)
      require(Polynomial::atom(builtinAtom(Builtin::GridDim, D)), Polynomial::constant(1));
    checkAliases(Graph, *this, InMemory::Dead);
    return orRefusals(std::move(Plan));
  }

private:
  void require(const Polynomial &Left, const Polynomial &Right) {
    if (!(Left == Right) && !llvm::is_contained(Plan.Requirements, AtMost{Left, Right}))
      Plan.Requirements.push_back({Left, Right});
  }

  void stage(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    Plan.ByElement[Node] = N.Shape->Shape == KernelShape::Pointwise;
    if (Block.Y != 1 || Block.Z != 1)
      refuse(BlockerKind::RowBlock, N.Facts->Where, fmt::format("{} has blocks of {}", N.Name, Block.str()));
    if (Plan.ByElement[Node] && N.Shape->Width > 1)
      refuse(BlockerKind::NotByRow, N.Facts->Where,
             fmt::format("{} works on {} elements at a time", N.Name, N.Shape->Width));
    if (N.Facts->CopiesAsynchronously && !N.Facts->DynamicShared.empty() && Node != Graph.Order.back())
      refuse(
          BlockerKind::NotByRow, N.Facts->Where,
          fmt::format("{} copies to dynamic shared memory, which a copy may still reach in the next kernel", N.Name));
    for (const auto *Exits : {&N.Facts->ExitsBeforeBarrier, &N.Facts->ExitsBeforeWarpPrimitive})
      for (const Finding &Exit : *Exits)
        if (!Exit.ByBranch || !Exit.isByWarps(Block) || Exits == &N.Facts->ExitsBeforeBarrier)
          refuse(BlockerKind::ExitBeforeNext, Exit.Where, fmt::format("{}: {}", N.Name, Exit.What));
  }

  /// An access in the arguments that remain; in a pointwise kernel, one to the element is one to the row.
  std::optional<RowAccess> access(unsigned Node, const AccessSite &Site) const {
    const VerticalNode &N = Graph.Nodes[Node];
    if (Plan.ByElement[Node]) {
      const auto Index = Site.Index ? inElement(*Site.Index, *N.Accesses, *N.Shape) : std::nullopt;
      if (!Index || !(*Index == Polynomial::atom(ElementAtom)))
        return std::nullopt;
      RowAccess Access;
      Access.Stride = Plan.Stride;
      Access.Length = Plan.Length;
      Access.EveryTurn = Site.Path.size() == 1 && Site.Path[0].Exact;
      return Access;
    }
    std::optional<RowAccess> Access = rowAccess(N, Site, Block);
    if (!Access)
      return std::nullopt;
    Access->Stride = Graph.inArguments(Node, Access->Stride);
    Access->Length = Graph.inArguments(Node, Access->Length);
    for (Less &L : Access->Rows)
      L = {Graph.inArguments(Node, L.Left), Graph.inArguments(Node, L.Right)};
    return Access;
  }

  /// The row is that of the first intermediate or input that is accessed by row.
  void findRow() {
    auto Take = [&](unsigned Node, llvm::StringRef Parameter) {
      if (Plan.ByElement[Node] || Plan.keepsRows())
        return;
      for (const AccessSite *Site : Graph.Nodes[Node].sites(Parameter))
        if (const auto Access = access(Node, *Site); Access && !Access->Scalar) {
          Plan.Stride = Access->Stride;
          Plan.Length = Access->Length;
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
  }

  bool isRow(const RowAccess &A) const { return !A.Scalar && A.Stride == Plan.Stride && A.Length == Plan.Length; }

  void keep(unsigned Node, const RowAccess &A) {
    if (Plan.ByElement[Node] || A.Scalar)
      return;
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
    for (const AccessSite *Site : Loads) {
      const std::string Fact = fmt::format("{}: {}; {}", Consumer.Name, Site->str(), Stored);
      if (Site->What == AccessSite::Kind::Store || Site->Compound) {
        refuse(BlockerKind::InPlaceHazard, Site->Where, Fact);
        continue;
      }
      if (Site->What != AccessSite::Kind::Load || !Site->Direct) {
        refuse(BlockerKind::IntermediateEscapes, Site->Where, Fact);
        continue;
      }
      const std::optional<RowAccess> Taken = access(F.Consumer, *Site);
      if (!Taken || !Made || Taken->Scalar != Scalar) {
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
      keep(F.Consumer, *Taken);
    }
    return Scalar ? RowValue::Scalar : RowValue::Element;
  }

  /// Nothing but stores that an object in the parameter's place sees.
  bool isStored(const VerticalNode &Producer, llvm::ArrayRef<const AccessSite *> Sites, const std::string &Taker) {
    for (const AccessSite *Site : Sites) {
      const std::string Fact = Producer.Name + ": " + Site->str() + Taker;
      if (Site->What == AccessSite::Kind::Atomic)
        return refuse(BlockerKind::IntermediateAtomic, Site->Where, Fact), false;
      if (Site->What == AccessSite::Kind::Load || Site->Compound)
        return refuse(BlockerKind::IntermediateRead, Site->Where, Fact), false;
      if (Site->What != AccessSite::Kind::Store || !Site->Direct)
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
    if (Plan.ByElement[F.Producer]) {
      StoreProof Proof;
      if (const auto Reason = proveStoredOnce(Producer, F.Out, std::nullopt, Proof))
        refuse(Reason->Kind, Reason->Where, Reason->Fact + Taker);
      return;
    }
    if (!isStored(Producer, Stores, Taker))
      return;
    std::optional<RowAccess> First;
    for (const AccessSite *Site : Stores) {
      const std::optional<RowAccess> Made = access(F.Producer, *Site);
      if (!Made || !isRow(*Made) || (First && First->Loop != Made->Loop))
        return refuse(BlockerKind::NotByRow, Site->Where, Producer.Name + ": " + Site->str() + Taker);
      First = Made;
      keep(F.Producer, *Made);
    }
    if (!First->OfBlock || !isCertain(Stores, First->Depth + 1))
      refuse(BlockerKind::StoredSometimes, Stores[0]->Where,
             fmt::format("{}: {}, not in every turn of its loop{}", Producer.Name, Stores[0]->str(), Taker));
  }

  /// A pointwise kernel's elements are those of the rows.
  void elements(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    const Polynomial Bound = Graph.inArguments(Node, N.Shape->Bound);
    const Polynomial All = Plan.Length * Polynomial::atom(builtinAtom(Builtin::GridDim, 0));
    require(All, Bound);
    require(Bound, All);
    require(Bound, Polynomial::constant(MostElements));
    if (!(Plan.Stride == Plan.Length) || !Plan.keepsRows())
      refuse(BlockerKind::NotByRow, N.Facts->Where,
             fmt::format("{} works on {} elements without gaps, the others on rows of {}, {} apart", N.Name,
                         Bound.str(), Plan.Length.str(), Plan.Stride.str()));
  }

  /// All kernels get one grid. One that nothing ties to the rows of the others may be meant for another.
  void sharesRows(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    const bool Linked =
        llvm::any_of(Graph.Flows, [&](const Flow &F) { return F.Producer == Node || F.Consumer == Node; });
    if (!Linked && llvm::none_of(N.Accesses->Sites, [&](const AccessSite &Site) {
          const auto Access = access(Node, Site);
          return Access && (Access->Scalar || isRow(*Access));
        }))
      refuse(BlockerKind::NotByRow, N.Facts->Where,
             fmt::format(
                 "{} takes nothing of the others, and does not work on their rows, so that its grid may be another",
                 N.Name));
  }

  using Memory = std::pair<unsigned, std::string>;
  /// Parameters that nothing but loads goes through, by memory.
  std::map<Memory, std::vector<Memory>> readers() const {
    std::map<Memory, std::vector<Memory>> All;
    for (unsigned Node : Graph.Order)
      for (const ParameterAccess &P : Graph.Nodes[Node].Accesses->Parameters)
        if (!P.Element.empty() && P.ReadOnly && P.Kept && P.Otherwise.empty() && Graph.Nodes[Node].isDistinct(P) &&
            !P.Volatile && !Graph.flowTo(Node, P.Name))
          All[Graph.memory(Node, P.Name)].push_back({Node, P.Name});
    return All;
  }

  void inputs() {
    if (!Plan.keepsRows())
      return;
    for (const auto &[Memory, Readers] : readers()) {
      RowInput Input;
      std::tie(Input.Node, Input.Parameter) = Memory;
      unsigned Places = 0;
      bool Certain = false;
      for (const auto &[Node, Parameter] : Readers) {
        const std::vector<const AccessSite *> Loads = Graph.Nodes[Node].sites(Parameter);
        std::vector<RowAccess> Rows;
        for (const AccessSite *Site : Loads)
          if (const auto Access = access(Node, *Site);
              Access && isRow(*Access) && Site->What == AccessSite::Kind::Load && Site->Direct)
            Rows.push_back(*Access);
        if (Rows.empty() || Rows.size() != Loads.size())
          continue;
        std::set<unsigned> Loops;
        for (const RowAccess &A : Rows) {
          Loops.insert(A.Loop);
          Certain |= A.EveryTurn && A.OfBlock && A.Rows.empty();
        }
        Places += Loops.size();
        Input.Readers.push_back({Node, Parameter});
      }
      if (Places < 2 || !Certain)
        continue;
      Input.FirstUse = llvm::find(Graph.Order, Input.Readers.front().first) - Graph.Order.begin();
      for (const auto &[Node, Parameter] : Input.Readers)
        for (const AccessSite *Site : Graph.Nodes[Node].sites(Parameter))
          keep(Node, *access(Node, *Site));
      Plan.Inputs.push_back(std::move(Input));
    }
  }

  /// Bytes of the largest element of those rows that are kept.
  unsigned widestKept() const {
    unsigned Widest = 0;
    auto See = [&](unsigned Node, llvm::StringRef Parameter) {
      Widest = std::max(Widest, Graph.Nodes[Node].parameter(Parameter)->Bytes);
    };
    for (size_t I = 0; I < Graph.Flows.size(); ++I)
      if (Plan.Values[I] == RowValue::Element)
        See(Graph.Flows[I].Producer, Graph.Flows[I].Out);
    for (const RowInput &Input : Plan.Inputs)
      See(Input.Node, Input.Parameter);
    return Widest;
  }

  /// Why the block waits before the kernel at this position.
  std::string barrier(size_t Position) const {
    const unsigned Node = Graph.Order[Position];
    for (size_t I = lastWait(Plan.Barriers); I < Position; ++I) {
      const unsigned Before = Graph.Order[I];
      for (size_t At = 0; At < Graph.Flows.size(); ++At)
        if (const Flow &F = Graph.Flows[At];
            F.Producer == Before && F.Consumer == Node && Plan.Values[At] == RowValue::Scalar)
          return fmt::format("{} has stored {}", Graph.Nodes[Before].Name, F.Out);
      if (std::string Why = usedByBoth(Graph.Nodes[Before], Graph.Nodes[Node]); !Why.empty())
        return Why;
    }
    return {};
  }

  const VerticalGraph &Graph;
  const BlockShape Block;
  BlockLocalPlan Plan;
};

} // namespace

const VerticalNode *rowConsumer(const VerticalGraph &Graph) {
  for (unsigned Node : Graph.Order)
    for (const Flow &F : Graph.Flows)
      if (F.Consumer == Node && Graph.Nodes[Node].Shape->Shape == KernelShape::RowWise)
        return &Graph.Nodes[Node];
  return nullptr;
}

llvm::Expected<BlockLocalPlan> planBlockLocal(const VerticalGraph &Graph, BlockShape Block) {
  return Planner(Graph, Block).run();
}

} // namespace cufuse
