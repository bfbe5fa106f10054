#include "RowForm.h"

#include "Indices.h"
#include "Refusals.h"
#include "cufuse/Dependence/Streams.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

class Reader {
public:
  Reader(const VerticalNode &Node, BlockShape Block) : Node(Node), Threads(Block.X), Size(Polynomial(Block.X)) {}

  std::optional<RowAccess> run(const AccessSite &Site) const {
    if (!Site.Index || Site.Width != 1)
      return std::nullopt;
    const Polynomial Index = known(*Site.Index);
    RowAccess Access;
    if (ofNumber(Index, Access) && Access.Stride == 1) {
      Access.Scalar = true;
      surroundings(Site, Site.Path.size(), Access);
      Access.OfBlock &= llvm::any_of(Site.Path, [&](const PathStep &Step) { return isFirstThread(Step); });
      return Access;
    }
    if (!findLoop(Site, Index, Access) || !isOfBlock(Access.Base))
      return std::nullopt;
    if (!ofNumber(Access.Base, Access))
      Access.Stride = {};
    surroundings(Site, Access.Depth, Access);
    Access.EveryTurn = Access.Depth + 1 == Site.Path.size();
    return Access;
  }

private:
  /// The dimensions of the block are numbers, however the kernel writes them; there is but one.
  Polynomial known(Polynomial P) const {
    P = inBlock(P, Node.Accesses->Quotients, Threads);
    for (int D : {1, 2})
      P = P.substitute(builtinAtom(Builtin::BlockDim, D), 1);
    return P.substitute(BlockDimX, Size);
  }

  bool isUniform(const Polynomial &P) const {
    return llvm::all_of(P.atoms(), [&](const std::string &Atom) { return Node.parameter(Atom) != nullptr; });
  }
  /// The same for all threads of the block.
  bool isOfBlock(const Polynomial &P) const {
    return llvm::all_of(known(P).atoms(), [&](const std::string &Atom) {
      const auto Q = Node.Accesses->Quotients.find(Atom);
      if (Q != Node.Accesses->Quotients.end())
        return !isWrap(Atom) && isOfBlock(Q->second.Dividend) && isOfBlock(Q->second.Divisor);
      if (const auto L = Node.Accesses->Loaded.find(Atom); L != Node.Accesses->Loaded.end())
        return isOfBlock(L->second.Index);
      return Node.parameter(Atom) || llvm::any_of(std::array{0, 1, 2}, [&](int D) {
               return Atom == builtinAtom(Builtin::BlockIdx, D) || Atom == builtinAtom(Builtin::GridDim, D);
             });
    });
  }

  /// Is it the block's number times a stride?
  bool ofNumber(const Polynomial &P, RowAccess &Access) const {
    for (unsigned D : {1, 2, 3}) {
      const Polynomial Stride = P.split(BlockX).first;
      if (!Stride.isZero() && isUniform(Stride) && P == Stride * blockNumber(D)) {
        Access.Stride = Stride;
        Access.Dimensions = D;
        return true;
      }
    }
    return false;
  }

  /// `i` counts a loop over the row: the only one around the site.
  bool findLoop(const AccessSite &Site, const Polynomial &Index, RowAccess &Access) const {
    unsigned Found = 0;
    for (size_t Depth = 0; Depth < Site.Path.size(); ++Depth) {
      const PathStep &Step = Site.Path[Depth];
      if (Step.What != PathStep::Kind::Loop)
        continue;
      const LoopAccess &Loop = Node.Accesses->Loops[Step.Id];
      const Polynomial By = known(Loop.Step);
      const auto Atoms = By.atoms();
      const bool Given = Atoms.size() == 1 && isUniform(By) && By == Polynomial::atom(*Atoms.begin());
      if (!(known(Loop.Start) == Polynomial::atom(ThreadX)) || (!(By == Size) && !Given))
        continue;
      ++Found;
      const auto [Factor, Rest] = Index.split(Loop.Atom);
      Access.Along = Factor.asConstant().value_or(0);
      if (!Loop.Statement || Loop.LeftEarly || !Step.Exact || Step.Holds.size() != 1 || Access.Along < 1 ||
          !(Step.Holds[0].Left == Polynomial::atom(Loop.Atom)) || !isOfArguments(Node, Step.Holds[0].Right))
        return false;
      Access.Base = Rest;
      Access.Length = Step.Holds[0].Right;
      Access.Loop = Step.Id;
      Access.Depth = Depth;
      Access.Step = Given ? std::optional(By) : std::nullopt;
    }
    return Found == 1;
  }

  /// What stands around the site, above `Depth`.
  void surroundings(const AccessSite &Site, size_t Depth, RowAccess &Access) const {
    for (const PathStep &Step : llvm::ArrayRef(Site.Path).take_front(Depth)) {
      const bool OfBlock =
          Step.What == PathStep::Kind::Branch && Step.Exact &&
          llvm::all_of(Step.Holds, [&](const Less &L) { return isOfBlock(L.Left) && isOfBlock(L.Right); });
      if (OfBlock)
        for (const Less &L : Step.Holds)
          Access.Rows.push_back({known(L.Left), known(L.Right)});
      else if (!Access.Scalar || !isFirstThread(Step))
        Access.OfBlock = false;
    }
  }

  bool isFirstThread(const PathStep &Step) const {
    return Step.What == PathStep::Kind::Branch && Step.Exact && Step.Holds.size() == 1 &&
           known(Step.Holds[0].Left) == Polynomial::atom(ThreadX) && Step.Holds[0].Right == 1;
  }

  const VerticalNode &Node;
  const unsigned Threads;
  const Polynomial Size;
};

} // namespace

unsigned bytesKept(const VerticalGraph &Graph, const BlockLocalPlan &Plan) {
  unsigned Widest = 0, Ahead = 0;
  auto Bytes = [&](unsigned Node, llvm::StringRef Parameter) { return Graph.Nodes[Node].parameter(Parameter)->Bytes; };
  for (size_t I = 0; I < Graph.Flows.size(); ++I)
    if (const Flow &F = Graph.Flows[I]; Plan.Values[I] == RowValue::Element)
      Widest = std::max(Widest, Bytes(F.Producer, F.Out));
  for (const RowInput &Input : Plan.Inputs) {
    Widest = std::max(Widest, Bytes(Input.Node, Input.Parameter));
    Ahead += Bytes(Input.Node, Input.Parameter);
  }
  return Plan.Wide > 1 ? std::max(Widest, Ahead) : Widest;
}

unsigned mostTurns(BlockShape Block, unsigned BytesOfElement, unsigned Wide) {
  const std::uint64_t Registers = std::min<std::uint64_t>(65536 / Block.threads(), 256) - 40;
  const std::uint64_t OfElement = std::max(1u, (BytesOfElement + 3) / 4);
  const unsigned Most = Block.X <= WarpSize ? std::max(32u, 16 * Wide) : Block.X <= 512 ? 32 : 16;
  return std::min<std::uint64_t>(llvm::bit_floor(Registers / OfElement), Most);
}

const VerticalNode *rowConsumer(const VerticalGraph &Graph) {
  for (unsigned Node : Graph.Order)
    for (const Flow &F : Graph.Flows)
      if (F.Consumer == Node && Graph.Nodes[Node].Shape->Shape == KernelShape::RowWise)
        return &Graph.Nodes[Node];
  return nullptr;
}

Polynomial blockNumber(unsigned Dimensions) {
  Polynomial Number = Polynomial::atom(builtinAtom(Builtin::BlockIdx, Dimensions - 1));
  for (int D = Dimensions - 2; D >= 0; --D)
    Number = Number * Polynomial::atom(builtinAtom(Builtin::GridDim, D)) +
             Polynomial::atom(builtinAtom(Builtin::BlockIdx, D));
  return Number;
}

std::optional<RowAccess> rowAccess(const VerticalNode &Node, const AccessSite &Site, BlockShape Block) {
  return Reader(Node, Block).run(Site);
}

std::optional<RowAccess> rowInArguments(const VerticalGraph &Graph, unsigned Node, const AccessSite &Site,
                                        BlockShape Block) {
  std::optional<RowAccess> Access = rowAccess(Graph.Nodes[Node], Site, Block);
  if (!Access)
    return std::nullopt;
  Access->Base = Graph.inArguments(Node, Access->Base);
  Access->Stride = Graph.inArguments(Node, Access->Stride);
  Access->Length = Graph.inArguments(Node, Access->Length);
  for (Less &L : Access->Rows)
    L = Graph.inArguments(Node, L);
  return Access;
}

RowParts rowParts(llvm::ArrayRef<RowAccess> Accesses, const Polynomial &First) {
  constexpr unsigned Most = 8;
  RowParts Parts;
  for (const RowAccess &A : Accesses) {
    const Polynomial Behind = A.Base - First;
    RowParts Own{1, A.Along > 1, A.Length};
    if (Own.Interleaved) {
      if (const auto Part = Behind.asConstant(); !Part || *Part < 0 || *Part >= A.Along || A.Along > Most)
        return {};
      Own.Count = A.Along;
    } else {
      while (Own.Count <= Most && !(Behind == Own.Length * (Own.Count - 1)))
        ++Own.Count;
      if (Own.Count > Most || Own.Length.isZero())
        return {};
    }
    const bool Fits = Own.Length == Parts.Length && Own.Interleaved == Parts.Interleaved &&
                      (!Own.Interleaved || Own.Count == Parts.Count);
    if (&A != Accesses.begin() && !Fits)
      return {};
    Own.Count = std::max(Own.Count, Parts.Count);
    Parts = Own;
  }
  return Parts.Count > 1 ? Parts : RowParts();
}

std::vector<RowAccess> rowsByData(const VerticalGraph &Graph, unsigned Node, const std::string &Parameter,
                                  BlockShape Block, BlockLocalPlan &Plan, RowInput &Input) {
  const VerticalNode &N = Graph.Nodes[Node];
  const RowParts &Parts = Plan.Parts[Node];
  std::vector<RowAccess> Rows;
  std::map<std::string, Polynomial> Data;
  for (const AccessSite *Site : N.sites(Parameter)) {
    AccessSite Own = *Site;
    Own.Index = Site->ByData;
    const bool IsLoad = Site->What == AccessSite::Kind::Load && Site->Direct && !Site->Compound;
    const auto A = IsLoad && !Plan.ByElement[Node] ? rowInArguments(Graph, Node, Own, Block) : std::nullopt;
    if (!A || A->Scalar || !A->EveryTurn || !A->OfBlock || !A->Rows.empty() ||
        !llvm::is_contained(Plan.Loops[Node], *N.Accesses->Loops[A->Loop].Statement))
      return {};
    Rows.push_back(*A);
    for (const std::string &Atom : A->Base.atoms())
      if (const auto Value = N.Accesses->Loaded.find(Atom); Value != N.Accesses->Loaded.end()) {
        const ParameterAccess &From = *N.parameter(Value->second.Parameter);
        const bool IsSame = llvm::all_of(N.sites(From.Name), [&](const AccessSite *Each) {
          return Each->Index == Value->second.Index && Each->Direct && Each->Whole && Each->Width == 1;
        });
        if (!IsSame || !From.ReadOnly || !From.Kept || !From.Otherwise.empty() || !isOnlyLoaded(N, From.Name) ||
            From.Volatile || Graph.flowTo(Node, From.Name))
          return {};
        Data[Atom] = Graph.inArguments(Node, Value->second.Index);
      }
  }
  const auto First = llvm::find_if(Rows, [&](const RowAccess &A) {
    return Parts.Count > 1 ? rowParts(Rows, A.Base) == Parts
                           : A.Along == 1 && llvm::all_of(Rows, [&](const RowAccess &Other) {
                               return Other.Base == A.Base && Other.Length == Plan.Length;
                             });
  });
  if (First == Rows.end())
    return {};
  Input.Base = First->Base;
  Input.InParts = Parts.Count > 1;
  for (const auto &[Atom, Index] : Data) {
    const std::string &From = N.Accesses->Loaded.at(Atom).Parameter, Name = "dataOf_" + N.Name + "_" + From;
    Input.Base = Input.Base.substitute(Atom, Polynomial::atom(Name));
    if (llvm::none_of(Plan.Data, [&](const RowDatum &Known) { return Known.Atom == Name; }))
      Plan.Data.push_back({Node, From, Name, Index});
  }
  return Rows;
}

} // namespace cufuse
