#include "Parts.h"

#include <fmt/core.h>
#include <llvm/Support/MathExtras.h>

namespace cufuse {

/// Nothing where no type of the language is a part.
static std::optional<unsigned> partOf(const ParameterAccess &P, unsigned Parts) {
  const unsigned Bytes = P.Bytes / Parts;
  return P.Bytes % Parts == 0 && llvm::isPowerOf2_32(Bytes) && Bytes <= 16 ? std::optional(Bytes) : std::nullopt;
}

/// In how many parts each kernel takes its elements.
static std::vector<unsigned> partsOf(const VerticalGraph &Graph, llvm::ArrayRef<PointerLink> Links) {
  constexpr unsigned Most = 64;
  std::vector<unsigned> Parts(Graph.Nodes.size(), 1);
  for (bool Changed = true; std::exchange(Changed, false);)
    for (const PointerLink &L : Links) {
      auto Bytes = [&](unsigned Node, const std::string &Name) {
        const ParameterAccess &P = *Graph.Nodes[Node].parameter(Name);
        return partOf(P, Parts[Node]).value_or(P.Bytes);
      };
      const unsigned Out = Bytes(L.From, L.Out), In = Bytes(L.To, L.In), Least = std::min(Out, In);
      const unsigned Larger = Out > In ? L.From : L.To, Times = Least > 0 ? std::max(Out, In) / Least : 0;
      if (Times < 2 || Times * Least != std::max(Out, In) || Parts[Larger] * Times > Most ||
          Graph.Nodes[Larger].Product)
        continue;
      Parts[Larger] *= Times;
      Changed = true;
    }
  return Parts;
}

/// The kernel as before, where every element is so many.
static KernelInParts inParts(const VerticalNode &Node, unsigned Parts) {
  const Polynomial Times = Parts;
  KernelInParts Result{*Node.Accesses, *Node.Shape};
  std::string Other;
  for (ParameterAccess &P : Result.Accesses.Parameters) {
    if (P.Element.empty())
      continue;
    const auto Part = partOf(P, Parts);
    if (!Part) {
      Other = Node.stores(P.Name) ? P.Name : Other;
      continue;
    }
    P.Bytes = *Part;
    P.Parts = Parts;
    for (AccessSite &Site : Result.Accesses.Sites)
      if (Site.Parameter == P.Name) {
        Site.Width *= Parts;
        if (Site.Index)
          Site.Index = *Site.Index * Times;
        for (ChosenIndex &Each : Site.Chosen)
          Each.Index = Each.Index * Times;
      }
  }
  ShapeFacts &Shape = Result.Shape;
  if (Shape.Shape != KernelShape::Pointwise)
    return Result;
  auto IsNot = [&](const std::string &Why) {
    Shape.Shape = KernelShape::Opaque;
    Shape.Reasons.push_back(
        {fmt::format("it takes {} elements for one, {}", Parts, Why), Node.Facts->Name, Node.Facts->Where});
  };
  if (!llvm::isPowerOf2_32(Parts))
    IsNot("which is no power of two");
  else if (!Other.empty())
    IsNot("but not of " + Other);
  else if (Shape.Width > 1 && Shape.Tail)
    IsNot(fmt::format("and {} of these at a time, with a tail", Shape.Width));
  if (Shape.Shape != KernelShape::Pointwise)
    return Result;
  Shape.Width *= Parts;
  Shape.Tail = false;
  Shape.Bound = Shape.Bound * Times;
  return Result;
}

void takeInParts(VerticalGraph &Graph, llvm::ArrayRef<PointerLink> Links) {
  const std::vector<unsigned> Parts = partsOf(Graph, Links);
  for (unsigned I = 0; I < Parts.size(); ++I)
    if (Parts[I] > 1) {
      VerticalNode &Node = Graph.Nodes[I];
      Graph.InParts.push_back(std::make_shared<KernelInParts>(inParts(Node, Parts[I])));
      Node.Accesses = &Graph.InParts.back()->Accesses;
      Node.Shape = &Graph.InParts.back()->Shape;
    }
}

bool haveCommonElements(const ParameterAccess &A, const ParameterAccess &B) {
  return A.Element == B.Element || (A.Bytes == B.Bytes && A.Bytes > 0 && (A.Parts > 1 || B.Parts > 1));
}

} // namespace cufuse
