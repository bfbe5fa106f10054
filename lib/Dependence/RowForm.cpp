#include "RowForm.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

const std::string ThreadX = builtinAtom(Builtin::ThreadIdx, 0), BlockX = builtinAtom(Builtin::BlockIdx, 0),
                  BlockDimX = builtinAtom(Builtin::BlockDim, 0);

class Reader {
public:
  Reader(const VerticalNode &Node, BlockShape Block) : Node(Node), Size(Polynomial::constant(Block.X)) {}

  std::optional<RowAccess> run(const AccessSite &Site) const {
    if (!Site.Index || Site.Width != 1)
      return std::nullopt;
    const auto [Stride, Rest] = known(*Site.Index).split(BlockX);
    RowAccess Access;
    if (Rest.isZero() && Stride == Polynomial::constant(1)) {
      Access.Scalar = true;
      surroundings(Site, Site.Path.size(), Access);
      Access.OfBlock &= llvm::any_of(Site.Path, isFirstThread);
      return Access;
    }
    Access.Stride = Stride;
    if (!isUniform(Stride) || Stride.isZero() || !findLoop(Site, Rest, Access))
      return std::nullopt;
    surroundings(Site, Access.Depth, Access);
    Access.EveryTurn = Access.Depth + 1 == Site.Path.size();
    return Access;
  }

private:
  /// The dimensions of the block are numbers, however the kernel writes them; there is but one.
  Polynomial known(Polynomial P) const {
    for (int D : {1, 2}) {
      P = P.substitute(builtinAtom(Builtin::BlockDim, D), Polynomial::constant(1));
      P = P.substitute(builtinAtom(Builtin::ThreadIdx, D), {});
    }
    return P.substitute(BlockDimX, Size);
  }

  bool isUniform(const Polynomial &P) const {
    return llvm::all_of(P.atoms(), [&](const std::string &Atom) { return Node.parameter(Atom) != nullptr; });
  }
  bool isOfBlock(const Polynomial &P) const { return isUniform(known(P).substitute(BlockX, {})); }

  /// `i` counts a loop over the row: the only one around the site.
  bool findLoop(const AccessSite &Site, const Polynomial &Column, RowAccess &Access) const {
    unsigned Found = 0;
    for (size_t Depth = 0; Depth < Site.Path.size(); ++Depth) {
      const PathStep &Step = Site.Path[Depth];
      if (Step.What != PathStep::Kind::Loop)
        continue;
      const LoopAccess &Loop = Node.Accesses->Loops[Step.Id];
      if (!(known(Loop.Start) == Polynomial::atom(ThreadX)) || !(known(Loop.Step) == Size))
        continue;
      ++Found;
      if (!Loop.Statement || Loop.LeftEarly || !Step.Exact || Step.Holds.size() != 1 ||
          !(Column == Polynomial::atom(Loop.Atom)) || !(Step.Holds[0].Left == Column) ||
          !isUniform(Step.Holds[0].Right))
        return false;
      Access.Length = Step.Holds[0].Right;
      Access.Loop = Step.Id;
      Access.Depth = Depth;
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

  static bool isFirstThread(const PathStep &Step) {
    return Step.What == PathStep::Kind::Branch && Step.Exact && Step.Holds.size() == 1 &&
           Step.Holds[0].Left == Polynomial::atom(ThreadX) && Step.Holds[0].Right == Polynomial::constant(1);
  }

  const VerticalNode &Node;
  const Polynomial Size;
};

} // namespace

std::optional<RowAccess> rowAccess(const VerticalNode &Node, const AccessSite &Site, BlockShape Block) {
  return Reader(Node, Block).run(Site);
}

} // namespace cufuse
