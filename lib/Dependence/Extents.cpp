#include "cufuse/Dependence/Extents.h"

#include "Bounds.h"
#include "Indices.h"
#include "Refusals.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

/// An array that is used in more parts is as good as not known.
constexpr size_t MostParts = 16;

class Measure {
public:
  Measure(VerticalGraph &Graph, unsigned Node, BlockShape Block, bool MayAsk)
      : Graph(Graph), Node(Node), N(Graph.Nodes[Node]), Block(Block), MayAsk(MayAsk) {}

  /// False where it is not known.
  bool add(const AccessSite &Site, std::vector<Extent> &Parts) const {
    const std::vector<AccessSite> Choices = Site.choices();
    return !Choices.empty() && (isPointwise() || !N.Shape->Unbounded) &&
           llvm::all_of(Choices, [&](const AccessSite &Each) {
             return addByIndex(Each, Parts, /*Asks=*/false) || (MayAsk && addByIndex(Each, Parts, /*Asks=*/true));
           });
  }

private:
  bool addByIndex(const AccessSite &Site, std::vector<Extent> &Parts, bool Asks) const {
    Bounds Known = bounds();
    if (Asks)
      Known.asksToFit();
    Extent Own;
    Known.surround(Graph, Node, Site, loop(), Own.Needs);
    const auto Index = Known.simplified(Graph.inArguments(Node, *Site.Index));
    const auto Most = Index ? Known.largest(*Index) : std::nullopt,
               Least = Most ? Known.largest(-*Index) : std::nullopt;
    if (!Least)
      return false;
    Graph.Quotients.insert(Known.quotients().begin(), Known.quotients().end());
    Own.Least = -Least->Most;
    Own.End = Most->Most + Site.Width;
    for (const std::vector<AtMost> &Needs : {Known.needs(), Most->Needs, Least->Needs})
      for (const AtMost &Each : Needs) {
        if (!isOfLaunch(Each.Left) || !isOfLaunch(Each.Right))
          return false;
        append(Own.Needs, {Each});
      }
    // What more it asks, a launch may not meet, and needs not where it is not known.
    const bool IsPlain = llvm::all_of(Own.Needs, [](const AtMost &Each) {
      return Each.Left.asConstant().value_or(2) <= 1 && Each.Right.terms().size() == 1 && !Each.Right.hasNegative();
    });
    if (!isOfLaunch(Own.Least, IsPlain ? &Own.Needs : nullptr) || !isOfLaunch(Own.End, IsPlain ? &Own.Needs : nullptr))
      return false;
    if (llvm::any_of(Parts, [&](Extent &Part) { return isJoined(Part, Own); }))
      return true;
    Parts.push_back(std::move(Own));
    return Parts.size() <= MostParts;
  }

  /// From the first element of both to the last, where it is known which these are if no argument is below 0.
  static bool isJoined(Extent &Part, const Extent &Own) {
    auto Follows = [](const Polynomial &Later, const Polynomial &Earlier) { return !(Later - Earlier).hasNegative(); };
    const bool First = Follows(Own.Least, Part.Least), Last = Follows(Part.End, Own.End);
    if (!(First || Follows(Part.Least, Own.Least)) || !(Last || Follows(Own.End, Part.End)))
      return false;
    append(Part.Needs, Own.Needs);
    for (const Polynomial &Room :
         {First ? Own.Least - Part.Least : Part.Least - Own.Least, Last ? Part.End - Own.End : Own.End - Part.End})
      if (!Room.asConstant()) {
        const auto Constant = Room.terms().find({});
        append(Part.Needs, {{{}, Constant == Room.terms().end() ? Room : Room - Constant->second}});
      }
    Part = {First ? Part.Least : Own.Least, Last ? Part.End : Own.End, Part.Needs};
    return true;
  }

  bool isPointwise() const { return N.Shape->Shape == KernelShape::Pointwise; }
  const LoopAccess *loop() const {
    return isPointwise() && N.Shape->Strided ? &N.Accesses->Loops[N.Shape->Loop] : nullptr;
  }

  Bounds bounds() const {
    Bounds Known(
        Graph.Quotients, [this](const std::string &Atom) { return isGiven(Atom); },
        [this](const Polynomial &P) { return meaning(P); });
    if (isPointwise() && !isMap()) {
      const Polynomial First = N.Shape->Width * Polynomial::atom(ElementAtom);
      Known.counts(ElementAtom, {{}, std::nullopt});
      Known.holds({First + (N.Shape->Tail ? 0 : N.Shape->Width - 1), Graph.inArguments(Node, N.Shape->Bound)});
      return Known;
    }
    const unsigned Threads[] = {shape().X, shape().Y, shape().Z};
    for (size_t D = 0; D < 3; ++D) {
      const Polynomial Blocks = !isMap()                    ? Polynomial::atom(builtinAtom(Builtin::GridDim, D))
                                : D < N.Shape->Sizes.size() ? Graph.inArguments(Node, N.Shape->Sizes[D])
                                                            : Polynomial(1);
      Known.counts(builtinAtom(Builtin::ThreadIdx, D), {{}, Threads[D] - 1});
      Known.counts(builtinAtom(Builtin::BlockIdx, D), {{}, Blocks - 1});
    }
    return Known;
  }
  /// A thread's place in the grid is its element's: as if each were a block.
  bool isMap() const { return isPointwise() && !N.Shape->Sizes.empty(); }
  BlockShape shape() const { return isMap() ? BlockShape{1, 1, 1} : Block; }

  Polynomial meaning(Polynomial P) const {
    if (isPointwise() && !isMap())
      return inGroup(N, P, Polynomial::atom(ElementAtom));
    return inShape(P, shape());
  }

  bool isGiven(llvm::StringRef Atom) const {
    return isArgument(Graph, Atom) || (!isPointwise() && Atom.starts_with("gridDim."));
  }
  /// Can the launcher compute it, whatever the arguments are? It divides by no argument but what it asks to be
  /// positive.
  bool isOfLaunch(const Polynomial &P, const std::vector<AtMost> *Asked = nullptr) const {
    return llvm::all_of(P.atoms(), [&](const std::string &Atom) {
      const auto Q = Graph.Quotients.find(Atom);
      if (Q == Graph.Quotients.end())
        return isGiven(Atom);
      const Polynomial &Dividend = Q->second.Dividend, &Divisor = Q->second.Divisor;
      return !isWrap(Atom) && isOfLaunch(Dividend, Asked) && isOfLaunch(Divisor, Asked) &&
             (Divisor.asConstant().value_or(0) > 0 || (Asked && llvm::is_contained(*Asked, AtMost{1, Divisor})));
    });
  }

  VerticalGraph &Graph;
  const unsigned Node;
  const VerticalNode &N;
  const BlockShape Block;
  const bool MayAsk;
};

/// A product uses whole rows of its matrices.
void addProduct(VerticalGraph &Graph, unsigned Node) {
  const VerticalNode &N = Graph.Nodes[Node];
  const ProductFacts &P = *N.Product;
  auto Add = [&](const char *Name, const Polynomial &Rows, std::int64_t Columns, std::int64_t Pitch) {
    if (!N.parameter(Name))
      return;
    Extent Own;
    Own.End = Rows * Pitch + (Columns - Pitch);
    Graph.Extents[Graph.memory(Node, Name)].push_back(std::move(Own));
  };
  const Polynomial M = Graph.argument(Node, "m");
  Add("a", M, P.columnsOfA(), P.PitchA);
  const std::int64_t OfB = P.InRows ? P.K : P.N; // in a batch, there is one for so many rows
  const auto Matrices = P.Rows == 0         ? Polynomial(1)
                        : OfB % P.Rows == 0 ? M
                                            : *quotient(M, Polynomial(P.Rows), Graph.Quotients);
  Add("b", Matrices * (Matrices == M ? OfB / P.Rows : OfB), P.InRows ? P.N : P.K, P.PitchB);
  Add("c", M, P.N, P.PitchC);
}

} // namespace

void measureExtents(VerticalGraph &Graph, BlockShape Block, bool MayAsk, const std::set<unsigned> &OtherGrids) {
  Graph.Extents.clear();
  bool NoOther = true;
  std::set<std::pair<unsigned, std::string>> Unknown;
  for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    NoOther &= !otherMemory(N) && N.Accesses->Unfollowed.empty();
    if (N.Product) {
      addProduct(Graph, Node);
      continue;
    }
    const Measure Own(Graph, Node, Block, MayAsk);
    for (const AccessSite &Site : N.Accesses->Sites) {
      const auto Of = Graph.memory(Node, Site.Parameter);
      if (!Unknown.count(Of) &&
          (N.parameter(Site.Parameter)->Bytes == 0 || OtherGrids.count(Node) || !Own.add(Site, Graph.Extents[Of])))
        Unknown.insert(Of);
    }
  }
  std::erase_if(Graph.Extents, [&](const auto &Each) { return Unknown.count(Each.first) > 0; });
  Graph.NoOther = NoOther;
}

} // namespace cufuse
