#include "cufuse/Dependence/Sources.h"

#include "cufuse/Dependence/StoreProof.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

class Grouping {
public:
  explicit Grouping(const VerticalGraph &Graph) : Graph(Graph) {}

  std::vector<Source> run() {
    for (const Flow &F : Graph.Flows)
      if (F.Consumer == Graph.Root && Graph.isBefore(F.Producer))
        add(F);
    auto Place = llvm::find_if(All, [](const Source &Each) { return Each.Once; });
    if (Place == All.end())
      Place = All.begin();
    for (unsigned Node : Graph.Before)
      if (!leadsToRoot(Node) && !All.empty())
        Place->Makers.push_back(Node), Place->Once = true;
    for (Source &Each : All)
      llvm::sort(Each.Makers, [&](unsigned A, unsigned B) { return position(A) < position(B); });
    return std::move(All);
  }

private:
  size_t position(unsigned Node) const { return llvm::find(Graph.Order, Node) - Graph.Order.begin(); }
  bool leadsToRoot(unsigned Node) const {
    return llvm::any_of(Graph.Flows, [&](const Flow &F) {
      return F.Producer == Node && (F.Consumer == Graph.Root || leadsToRoot(F.Consumer));
    });
  }

  void add(const Flow &F) {
    Source Own{{&F}, {F.Producer}};
    for (size_t I = 0; I < Own.Makers.size(); ++I)
      for (const Flow &Other : Graph.Flows)
        if (Other.Consumer == Own.Makers[I] && !llvm::is_contained(Own.Makers, Other.Producer))
          Own.Makers.push_back(Other.Producer);
    Own.Once = llvm::any_of(Own.Makers, [&](unsigned Node) {
      return hasOtherEffects(Graph, Node) || llvm::any_of(Graph.Flows, [&](const Flow &Each) {
               return Each.Producer == Node && Graph.isLive(Node, Each.Out);
             });
    });
    for (Source &Known : All) {
      const Flow &First = *Known.Flows.front();
      const bool Within = isLoadedWith(First, F);
      if ((!Known.Once && !Own.Once) || !haveOneBound(First, F) || (!Within && !isLoadedWith(F, First)))
        continue;
      Known.Flows.insert(Within ? Known.Flows.end() : Known.Flows.begin(), &F);
      for (unsigned Maker : Own.Makers)
        if (!llvm::is_contained(Known.Makers, Maker))
          Known.Makers.push_back(Maker);
      Known.Once = true;
      return;
    }
    All.push_back(std::move(Own));
  }

  bool haveOneBound(const Flow &A, const Flow &B) const {
    auto Bound = [&](const Flow &F) { return Graph.inArguments(F.Producer, Graph.Nodes[F.Producer].Shape->Bound); };
    return Bound(A) == Bound(B);
  }

  /// Is one loaded only where the other is, by the same thread in the same turn?
  bool isLoadedWith(const Flow &F, const Flow &Within) const {
    const VerticalNode &Root = Graph.Nodes[Graph.Root];
    const auto Of = Root.sites(F.In), By = Root.sites(Within.In);
    return llvm::all_of(By, [&](const AccessSite *Each) {
      return llvm::all_of(Of, [&](const AccessSite *Known) { return isWhere(*Known, *Each); });
    });
  }

  const VerticalGraph &Graph;
  std::vector<Source> All;
};

} // namespace

std::vector<Source> sourcesOf(const VerticalGraph &Graph) { return Grouping(Graph).run(); }

bool hasOtherEffects(const VerticalGraph &Graph, unsigned Node) {
  const KernelAccesses &Accesses = *Graph.Nodes[Node].Accesses;
  return !Accesses.Reports.empty() || llvm::any_of(Accesses.Sites, [&](const AccessSite &Site) {
    return Site.What != AccessSite::Kind::Load && !Graph.isIntermediate(Node, Site.Parameter);
  });
}

bool beginsInMemory(const VerticalGraph &Graph, unsigned Node, const std::string &Out) {
  const VerticalNode &N = Graph.Nodes[Node];
  StoreProof Proof;
  return !Graph.flowTo(Node, Out) &&
         (llvm::any_of(N.sites(Out),
                       [](const AccessSite *Site) { return Site->What == AccessSite::Kind::Load || Site->Compound; }) ||
          proveStoredOnce(N, Out, std::nullopt, Proof, /*MayLoad=*/true) || Proof.Partly);
}

} // namespace cufuse
