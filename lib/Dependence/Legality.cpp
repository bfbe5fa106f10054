#include "cufuse/Dependence/Legality.h"

#include "CheckAliases.h"
#include "LoadLegality.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

class Check {
public:
  Check(const VerticalGraph &Graph, BlockShape Block) : Graph(Graph), Block(Block) {}

  llvm::Expected<std::vector<AtMost>> run(std::optional<unsigned> Recompute) {
    for (const Flow &F : Graph.Flows)
      if (!llvm::is_contained(Graph.Before, F.Producer))
        flow(F);
    checkInlineAtLoad(Graph, Block, Recompute, Requirements, Refused);
    checkAliases(Graph, Refused);
    if (llvm::Error Error = Refused.take())
      return std::move(Error);
    return std::move(Requirements);
  }

private:
  void refuse(BlockerKind Kind, const SourcePlace &Where, const std::string &Fact) { Refused.add({Kind, Where, Fact}); }

  void flow(const Flow &F) {
    const VerticalNode &Producer = Graph.Nodes[F.Producer], &Consumer = Graph.Nodes[F.Consumer];
    StoreProof Proof;
    const bool IsRoot = F.Producer == Graph.Root;
    if (!IsRoot && Producer.Shape->Shape != KernelShape::Pointwise)
      return; // said where it consumes
    const auto Reason = proveStoredOnce(Producer, F.Out, IsRoot ? std::optional(Block) : std::nullopt, Proof);
    if (Reason)
      refuse(Reason->Kind, Reason->Where, Reason->Fact + "; " + Consumer.Name + " takes it as " + F.In);
    else if (IsRoot)
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
    for (const AccessSite &Site : Consumer.Accesses->Sites)
      if (Site.Parameter == F.In)
        load(Site, Consumer, Stored);
    if (!Reason)
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
    refuse(
        BlockerKind::DifferentBounds, Any->Where,
        fmt::format("{}: {}, of {} elements; {}, of {}", Consumer.Name, Any->str(), Taken.str(), Stored, Made.str()));
  }

  void require(const Polynomial &Left, const Polynomial &Right) {
    if (Left == Right ||
        llvm::any_of(Requirements, [&](const AtMost &Known) { return Known.Left == Left && Known.Right == Right; }))
      return;
    Requirements.push_back({Left, Right});
  }

  const VerticalGraph &Graph;
  const BlockShape Block;
  Refusals Refused;
  std::vector<AtMost> Requirements;
};

} // namespace

llvm::Expected<std::vector<AtMost>> checkInlineAtStore(const VerticalGraph &Graph, BlockShape Block,
                                                       std::optional<unsigned> Recompute) {
  return Check(Graph, Block).run(Recompute);
}

} // namespace cufuse
