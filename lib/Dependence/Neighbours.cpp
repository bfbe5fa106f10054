#include "cufuse/Dependence/Neighbours.h"

#include "Bounds.h"
#include "Indices.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

class Search {
public:
  Search(const VerticalGraph &Graph, const Polynomial &Width, const Polynomial &Height, BlockShape Block)
      : Graph(Graph), Width(Width), Height(Height), Block(Block) {}

  bool add(const AccessSite &Site) {
    Bounds Known(
        Graph.Quotients, [this](const std::string &Atom) { return isOfLaunch(Atom); },
        [this](const Polynomial &P) { return meaning(P); });
    const unsigned Threads[] = {Block.X, Block.Y};
    for (int D = 0; D < 2; ++D) {
      Known.counts(builtinAtom(Builtin::ThreadIdx, D), {{}, Threads[D] - 1});
      Known.counts(builtinAtom(Builtin::BlockIdx, D), {{}, std::nullopt});
    }
    Known.surround(Graph, Graph.Root, Site, nullptr, Found.Needs);
    const Polynomial Own[] = {meaning(place(0)), meaning(place(1))};
    const auto [Rows, Columns] =
        (meaning(Graph.inArguments(Graph.Root, *Site.Index)) - Own[1] * Width - Own[0]).split(*Width.atoms().begin());
    return reach(Known, Site, Columns, Found.X) && reach(Known, Site, -Columns, Found.X) &&
           reach(Known, Site, Rows, Found.Y) && reach(Known, Site, -Rows, Found.Y) &&
           isBelow(Known, Site, Own[0] + Columns, Width) && isBelow(Known, Site, Own[1] + Rows, Height) &&
           Known.needs().empty() && llvm::all_of(Found.Needs, [this](const AtMost &Each) {
             auto IsKnown = [this](const std::string &Atom) { return isOfLaunch(Atom); };
             return llvm::all_of(Each.Left.atoms(), IsKnown) && llvm::all_of(Each.Right.atoms(), IsKnown);
           });
  }

  Neighbours Found;

private:
  static Polynomial place(int D) {
    return Polynomial::atom(builtinAtom(Builtin::BlockIdx, D)) * Polynomial::atom(builtinAtom(Builtin::BlockDim, D)) +
           Polynomial::atom(builtinAtom(Builtin::ThreadIdx, D));
  }
  Polynomial meaning(const Polynomial &P) const { return inShape(P, Block); }
  bool isOfLaunch(llvm::StringRef Atom) const { return isArgument(Graph, Atom) || Atom.starts_with("gridDim."); }

  /// One of the conditions around the site says that something is not negative.
  bool holds(const AccessSite &Site, llvm::function_ref<bool(const Polynomial &)> Is) const {
    return llvm::any_of(Site.conditions(), [&](const Less &L) {
      return Is(meaning(Graph.inArguments(Graph.Root, L.Right - L.Left)) - 1);
    });
  }
  /// By no more than a number.
  bool reach(Bounds &Known, const AccessSite &Site, const Polynomial &Distance, unsigned &Most) {
    const auto Bound = Known.largest(Distance);
    auto Number = Bound ? Bound->Most.asConstant() : std::nullopt;
    if (Bound && !Number)
      holds(Site, [&](const Polynomial &Room) { return (Number = (Bound->Most + Room).asConstant()).has_value(); });
    if (!Number || *Number > 64)
      return false;
    append(Found.Needs, Bound->Needs);
    Most = std::max<std::int64_t>(Most, *Number);
    return true;
  }
  bool isBelow(Bounds &Known, const AccessSite &Site, const Polynomial &P, const Polynomial &Size) {
    auto IsHeld = [&](const Polynomial &Own) { // it is no less than that
      return holds(Site, [&](const Polynomial &Room) {
        const auto Bound = Known.largest(Room - Own);
        return Bound && Bound->Needs.empty() && Bound->Most.asConstant().value_or(1) <= 0;
      });
    };
    return (IsHeld(Size - P - 1) || Known.isAtMost(P - Size, Polynomial(-1), Found.Needs)) &&
           (IsHeld(P) || Known.isAtMost(-P, {}, Found.Needs));
  }

  const VerticalGraph &Graph;
  const Polynomial Width, Height;
  const BlockShape Block;
};

} // namespace

std::optional<Neighbours> neighboursOf(const VerticalGraph &Graph, const std::string &Parameter, unsigned Map,
                                       BlockShape Block) {
  const std::vector<Polynomial> &Sizes = Graph.Nodes[Map].Shape->Sizes;
  if (Sizes.size() != 2 || Block.Z != 1)
    return std::nullopt;
  const Polynomial Width = Graph.inArguments(Map, Sizes[0]);
  const std::set<std::string> Atoms = Width.atoms();
  if (Atoms.size() != 1 || Width != Polynomial::atom(*Atoms.begin()))
    return std::nullopt;
  Search Each(Graph, Width, Graph.inArguments(Map, Sizes[1]), Block);
  for (const AccessSite *Site : Graph.Nodes[Graph.Root].sites(Parameter)) {
    const std::vector<AccessSite> Any = Site->choices();
    if (Any.empty() || Site->Width > 1 ||
        !llvm::all_of(Any, [&](const AccessSite &Choice) { return Each.add(Choice); }))
      return std::nullopt;
  }
  return std::move(Each.Found);
}

} // namespace cufuse
