#include "cufuse/Dependence/Streams.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

const ParameterAccess *mayBeAliased(const VerticalNode &Node, llvm::StringRef Parameter) {
  const ParameterAccess *Own = Node.parameter(Parameter);
  for (const ParameterAccess &Other : Node.Accesses->Parameters)
    if (&Other != Own && !Other.Element.empty() && !Node.areDistinct(*Own, Other) &&
        (Node.stores(Parameter) || Node.stores(Other.Name)) && !Node.sites(Other.Name).empty())
      return &Other;
  return nullptr;
}

bool isOnlyLoaded(const VerticalNode &Node, const std::string &Parameter) {
  return Node.isDistinct(*Node.parameter(Parameter)) ||
         (Node.Compared.count(Parameter) && !mayBeAliased(Node, Parameter));
}

bool isFollowedInGroups(const AccessSite &Site, const VerticalNode &Node) {
  return Node.Shape->Width == 1 || Node.parameter(Site.Parameter)->ReadOnly || (Site.Whole && !Site.Deduced);
}

namespace {

class StreamPlanner {
public:
  explicit StreamPlanner(const VerticalGraph &Graph) : Graph(Graph) {}

  std::vector<Stream> run() {
    for (unsigned Node : Graph.Order)
      for (const ParameterAccess &P : Graph.Nodes[Node].Accesses->Parameters)
        if (!P.Element.empty())
          add(Node, P.Name);
    return std::move(Streams);
  }

private:
  void add(unsigned Node, const std::string &Parameter) {
    const Flow *In = Graph.flowTo(Node, Parameter);
    const bool Stored = Graph.Nodes[Node].stores(Parameter);
    if (In && !Stored) {
      Streams[*streamOf(Streams, In->Producer, In->Out)].Users.push_back({Node, Parameter});
      return;
    }
    Stream S;
    S.Users = {{Node, Parameter}};
    S.Stores = Stored && Graph.isLive(Node, Parameter);
    if (In)
      S.From = streamOf(Streams, In->Producer, In->Out);
    else
      S.Loads = hasLoad(Node, Parameter);
    if (In || Graph.isIntermediate(Node, Parameter))
      return Streams.push_back(std::move(S));
    // What several kernels only load is loaded once.
    const auto Memory = Graph.memory(Node, Parameter);
    if (Memory != std::pair(Node, Parameter) && !Stored)
      if (const auto Known = streamOf(Streams, Memory.first, Memory.second); Known && !Streams[*Known].Stores) {
        if (isWithin(Node, Parameter))
          Streams[*Known].Users.push_back({Node, Parameter});
        return;
      }
    const VerticalNode &N = Graph.Nodes[Node];
    if (isWithin(Node, Parameter) && (Stored && !S.Loads ? !storesOtherwise(Parameter, *N.Accesses, *N.Shape)
                                                         : touchesEach(Parameter, *N.Accesses, *N.Shape)))
      Streams.push_back(std::move(S));
  }

  bool hasLoad(unsigned Node, const std::string &Parameter) const {
    return llvm::any_of(Graph.Nodes[Node].sites(Parameter),
                        [](const AccessSite *Site) { return Site->What != AccessSite::Kind::Store; });
  }

  /// Own elements only, in a way that the object in the pointer's place follows.
  bool isWithin(unsigned Node, const std::string &Parameter) const {
    const VerticalNode &N = Graph.Nodes[Node];
    const std::vector<const AccessSite *> Sites = N.sites(Parameter);
    return N.parameter(Parameter)->Kept && N.parameter(Parameter)->Otherwise.empty() && !Sites.empty() &&
           !mayBeAliased(N, Parameter) && llvm::all_of(Sites, [&](const AccessSite *Site) {
             return Site->Direct && isFollowedInGroups(*Site, N) &&
                    (Site->What == AccessSite::Kind::Load || Site->What == AccessSite::Kind::Store) &&
                    isOwn(*Site, *N.Accesses, *N.Shape);
           });
  }

  const VerticalGraph &Graph;
  std::vector<Stream> Streams;
};

} // namespace

std::optional<unsigned> streamOf(llvm::ArrayRef<Stream> Streams, unsigned Node, llvm::StringRef Parameter) {
  for (unsigned I = 0; I < Streams.size(); ++I)
    if (llvm::is_contained(Streams[I].Users, std::pair(Node, Parameter.str())))
      return I;
  return std::nullopt;
}

std::vector<Stream> planStreams(const VerticalGraph &Graph) { return StreamPlanner(Graph).run(); }

} // namespace cufuse
