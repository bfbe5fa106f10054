#include "cufuse/Dependence/LoopLegality.h"

#include "Refusals.h"

#include <fmt/core.h>

namespace cufuse {

namespace {

class LoopCheck : Refusals {
public:
  LoopCheck(const VerticalGraph &Graph, unsigned Width) : Graph(Graph), Width(Width) {}

  llvm::Expected<std::vector<AtMost>> run() {
    for (const Flow &F : Graph.Flows)
      flow(F);
    bounds();
    checkAliases(Graph, *this);
    const Polynomial Elements = Graph.inArguments(Graph.Root, Graph.Nodes[Graph.Root].Shape->Bound);
    // Indices fit the types in which kernels compute them, also in the last turn.
    Requirements.push_back({Elements, MostElements - (Width > 1 ? Width : 0)});
    return orRefusals(std::move(Requirements));
  }

private:
  void flow(const Flow &F) {
    const VerticalNode &Producer = Graph.Nodes[F.Producer], &Consumer = Graph.Nodes[F.Consumer];
    const std::string Stored = storedBy(Producer, F.Out);
    producer(F, Producer, Consumer);
    for (const AccessSite *Site : Consumer.sites(F.In))
      checkOwn(*Site, Consumer, Stored, *this);
    checkChanges(Graph, F, *this);
  }

  /// All of its elements are known when the consumers take them.
  void producer(const Flow &F, const VerticalNode &Producer, const VerticalNode &Consumer) {
    auto CheckOwn = [&](bool Loads) {
      for (const AccessSite *Site : Producer.sites(F.Out))
        if ((Site->What == AccessSite::Kind::Load) == Loads)
          checkOwn(*Site, Producer, "where it stores the array itself", *this);
    };
    CheckOwn(/*Loads=*/true);
    const std::string Taken = fmt::format("; {} takes it as {}", Consumer.Name, F.In);
    // In registers before, it is complete however the kernel changes it.
    if (Graph.flowTo(F.Producer, F.Out) ||
        (siteOf(Producer, F.Out, AccessSite::Kind::Load) && touchesEach(F.Out, *Producer.Accesses, *Producer.Shape)))
      return CheckOwn(/*Loads=*/false);
    StoreProof Proof;
    if (Producer.Shape->Width == 1) {
      if (const auto Reason = proveStoredOnce(Producer, F.Out, std::nullopt, Proof, /*MayLoad=*/true))
        return refuse(Reason->Kind, Reason->Where, Reason->Fact + Taken);
      if (!(Proof.Elements == Producer.Shape->Bound) || Proof.Partly)
        refuse(BlockerKind::StoredSometimes, Producer.Facts->Where,
               fmt::format("{}: {} of {}{}", Producer.Name, Proof.Partly ? "some" : Proof.Elements.str(),
                           Producer.Shape->Bound.str(), Taken));
      return;
    }
    CheckOwn(/*Loads=*/false);
    if (const AccessSite *Site = storesOtherwise(F.Out, *Producer.Accesses, *Producer.Shape))
      refuse(BlockerKind::StoredTwice, Site->Where, fmt::format("{}: {}{}", Producer.Name, Site->str(), Taken));
  }

  /// All work on the same elements.
  void bounds() {
    const VerticalNode &First = Graph.Nodes[Graph.Root];
    const Polynomial Made = Graph.inArguments(Graph.Root, First.Shape->Bound);
    for (unsigned Node : Graph.Order) {
      const VerticalNode &N = Graph.Nodes[Node];
      const Polynomial Own = Graph.inArguments(Node, N.Shape->Bound);
      for (const Polynomial &Size : N.Shape->Sizes)
        Requirements.push_back({{}, Graph.inArguments(Node, Size)});
      // Without a tail, turns are whole groups, of which all elements are made.
      const bool Whole = First.Shape->Tail != N.Shape->Tail;
      const auto Groups = Whole && N.Shape->Width == Width ? Own.dividedBy(Width) : std::nullopt;
      if (Node == Graph.Root || (Own == Made && (Groups || (!Whole && (N.Shape->Tail || N.Shape->Width == Width)))))
        continue;
      const auto Q = Groups ? Graph.Quotients.find(Groups->str()) : Graph.Quotients.end();
      if (Q != Graph.Quotients.end() && Q->second.Dividend == Made && Q->second.Divisor.asConstant() == Width) {
        Requirements.push_back({Made, Own});
        continue;
      }
      auto Described = [](const VerticalNode &Each, const Polynomial &Bound) {
        const std::string Groups = Each.Shape->Tail ? "" : fmt::format(" in whole groups of {}", Each.Shape->Width);
        return fmt::format("{}, of {} elements{}", Each.Accesses->Sites.front().str(), Bound.str(), Groups);
      };
      refuse(BlockerKind::DifferentBounds, N.Accesses->Sites.front().Where,
             fmt::format("{}: {}; {}: {}", N.Name, Described(N, Own), First.Name, Described(First, Made)),
             linkOf(Made, Own));
    }
  }

  const VerticalGraph &Graph;
  const unsigned Width;
  std::vector<AtMost> Requirements;
};

} // namespace

unsigned loopWidth(const VerticalGraph &Graph, unsigned Vectorize) {
  unsigned Width = 1;
  bool Tail = true;
  for (const VerticalNode &N : Graph.Nodes) {
    Width = std::max(Width, N.Shape->Width);
    Tail &= N.Shape->Tail;
  }
  return Tail ? std::max(Width, Vectorize) : Width;
}

llvm::Expected<std::vector<AtMost>> checkOneLoop(const VerticalGraph &Graph, unsigned Width) {
  return LoopCheck(Graph, Width).run();
}

} // namespace cufuse
