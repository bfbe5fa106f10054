#include "LoadLegality.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

class LoadCheck {
public:
  LoadCheck(const VerticalGraph &Graph, BlockShape Block, std::optional<unsigned> Recompute,
            std::vector<AtMost> &Requirements, Refusals &Refused)
      : Graph(Graph), Block(Block), Recompute(Recompute), Requirements(Requirements), Refused(Refused) {}

  void run() {
    for (unsigned Node : Graph.Before)
      producer(Node);
    for (const Flow &F : Graph.Flows)
      if (llvm::is_contained(Graph.Before, F.Producer))
        flow(F);
  }

private:
  void refuse(BlockerKind Kind, const SourcePlace &Where, const std::string &Fact) { Refused.add({Kind, Where, Fact}); }

  /// A function of the element that makes nothing but dead intermediates.
  void producer(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    if (N.Shape->Width > 1) {
      const AccessSite &Any = N.Accesses->Sites.front();
      refuse(BlockerKind::OtherElement, Any.Where,
             fmt::format("{}: {} stores {} elements at a time, {} loads them one by one", N.Name, Any.str(),
                         N.Shape->Width, Graph.Nodes[Graph.Root].Name));
    }
    for (const AccessSite &Site : N.Accesses->Sites)
      if (Site.What != AccessSite::Kind::Load && !Graph.isIntermediate(Node, Site.Parameter))
        refuse(BlockerKind::OtherStores, Site.Where, fmt::format("{}: {}", N.Name, Site.str()));
    Requirements.push_back({Graph.inArguments(Node, N.Shape->Bound), Polynomial::constant(MostElements)});
  }

  void flow(const Flow &F) {
    const VerticalNode &Producer = Graph.Nodes[F.Producer], &Consumer = Graph.Nodes[F.Consumer];
    const std::string Stored = storedBy(Producer, F.Out);
    StoreProof Proof;
    if (const auto Reason = proveStoredOnce(Producer, F.Out, std::nullopt, Proof))
      refuse(Reason->Kind, Reason->Where, Reason->Fact + "; " + Consumer.Name + " takes it as " + F.In);
    if (!F.Dead)
      refuse(BlockerKind::LiveIntermediate, Producer.Facts->Where,
             fmt::format("{}.{}, which {} takes as {}", Producer.Name, F.Out, Consumer.Name, F.In));
    if (F.Consumer == Graph.Root)
      return loads(F, Consumer, Stored);
    if (!llvm::is_contained(Graph.Before, F.Consumer))
      return refuse(
          BlockerKind::SeveralProducers, Consumer.Facts->Where,
          fmt::format("{}; {} is computed where {} loads", Consumer.Name, Stored, Graph.Nodes[Graph.Root].Name));
    for (const AccessSite &Site : Consumer.Accesses->Sites)
      if (Site.Parameter == F.In) {
        checkOwn(Site, Consumer, Stored, Refused);
        if (Site.What == AccessSite::Kind::Store)
          refuse(BlockerKind::InPlaceHazard, Site.Where, fmt::format("{}: {}; {}", Consumer.Name, Site.str(), Stored));
      }
    const Polynomial Made = Graph.inArguments(F.Producer, Producer.Shape->Bound),
                     Taken = Graph.inArguments(F.Consumer, Consumer.Shape->Bound);
    if (!(Made == Taken))
      refuse(BlockerKind::DifferentBounds, Consumer.Accesses->Sites.front().Where,
             fmt::format("{}, of {} elements; {}, of {}", Consumer.Name, Taken.str(), Stored, Made.str()));
  }

  /// At whatever index: the object computes the element, or loads what the producer does not store.
  void loads(const Flow &F, const VerticalNode &Consumer, const std::string &Stored) {
    Polynomial Times;
    for (const AccessSite &Site : Consumer.Accesses->Sites) {
      if (Site.Parameter != F.In)
        continue;
      const std::string Fact = fmt::format("{}: {}; {}", Consumer.Name, Site.str(), Stored);
      if (Site.What == AccessSite::Kind::Store || Site.What == AccessSite::Kind::Atomic)
        refuse(BlockerKind::InPlaceHazard, Site.Where, Fact);
      else if (Site.What != AccessSite::Kind::Load || !Site.Direct || Site.Width > 1 || Site.Compound)
        refuse(BlockerKind::IntermediateEscapes, Site.Where, Fact);
      else if (!Recompute)
        continue;
      else if (const auto Own = accessesPerElement(Consumer, Site, Block))
        Times = Times + Graph.inArguments(F.Consumer, *Own);
      else
        refuse(BlockerKind::Recomputed, Site.Where, Fact + ": how often each element is loaded is not known");
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
  std::vector<AtMost> &Requirements;
  Refusals &Refused;
};

} // namespace

void checkInlineAtLoad(const VerticalGraph &Graph, BlockShape Block, std::optional<unsigned> Recompute,
                       std::vector<AtMost> &Requirements, Refusals &Refused) {
  LoadCheck(Graph, Block, Recompute, Requirements, Refused).run();
}

} // namespace cufuse
