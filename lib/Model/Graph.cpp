#include "cufuse/Model/Graph.h"

#include "cufuse/Model/Problem.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>

#include <algorithm>

namespace cufuse {

namespace {
constexpr double LaunchMicroseconds = 3;   // of a launch behind another one, with the tail of the one before it
constexpr double UnknownBandwidth = 4.0e6; // bytes per microsecond: an H200's
constexpr double NarrowAccesses = 0.06;    // of the bandwidth, lost with one element per thread
constexpr unsigned WideEnough = 4;         // elements per thread

double bandwidthOf(const Problem &P) {
  return P.Gpu.DramBytesPerMicrosecond > 0 ? P.Gpu.DramBytesPerMicrosecond : UnknownBandwidth;
}

double microsecondsOf(const Problem &P, double Bytes, unsigned Vectorize) {
  const double Loss = NarrowAccesses / std::min(Vectorize, WideEnough);
  return LaunchMicroseconds + Bytes / bandwidthOf(P) * (1 + Loss);
}
} // namespace

bool GraphArray::isUsedBy(unsigned Constituent) const {
  return llvm::is_contained(Readers, Constituent) || llvm::is_contained(Writers, Constituent);
}

std::vector<unsigned> membersOf(const Problem &P, const LaunchGroup &Group) {
  std::vector<unsigned> Members;
  for (unsigned I = 0; I < P.Constituents.size(); ++I)
    if (llvm::is_contained(Group.Kernels, P.Constituents[I].Name))
      Members.push_back(I);
  return Members;
}

bool dependsOn(const GraphFacts &Graph, unsigned Later, unsigned Earlier) {
  return llvm::any_of(Graph.Arrays, [&](const GraphArray &A) {
    return A.isUsedBy(Later) && A.isUsedBy(Earlier) &&
           (llvm::is_contained(A.Writers, Later) || llvm::is_contained(A.Writers, Earlier));
  });
}

/// Has one launch to wait for another one?
static bool waitsFor(const GraphFacts &Graph, const std::vector<unsigned> &Launch, const std::vector<unsigned> &Other) {
  for (const unsigned Later : Launch)
    for (const unsigned Earlier : Other)
      if (Earlier < Later && dependsOn(Graph, Later, Earlier))
        return true;
  return false;
}

std::optional<Launches> inOrder(const GraphFacts &Graph, Launches Groups) {
  llvm::sort(Groups);
  Launches Ordered;
  while (!Groups.empty()) {
    const auto Next = llvm::find_if(Groups, [&](const std::vector<unsigned> &Group) {
      return llvm::none_of(Groups, [&](const std::vector<unsigned> &Other) {
        return &Other != &Group && waitsFor(Graph, Group, Other);
      });
    });
    if (Next == Groups.end())
      return std::nullopt;
    Ordered.push_back(std::move(*Next));
    Groups.erase(Next);
  }
  return Ordered;
}

std::uint64_t bytesMoved(const GraphFacts &Graph, llvm::ArrayRef<unsigned> Group) {
  auto InGroup = [&](unsigned Constituent) { return llvm::is_contained(Group, Constituent); };
  std::uint64_t Sum = 0;
  for (const GraphArray &A : Graph.Arrays) {
    const auto Writer = llvm::find_if(A.Writers, InGroup), Reader = llvm::find_if(A.Readers, InGroup);
    if (Reader != A.Readers.end() && (Writer == A.Writers.end() || *Reader <= *Writer))
      Sum += A.Bytes;
    const bool Stays = !A.Dead || !llvm::all_of(A.Readers, InGroup) || !llvm::all_of(A.Writers, InGroup);
    if (Writer != A.Writers.end() && Stays)
      Sum += A.Bytes;
  }
  return Sum;
}

double predictLaunches(const Problem &P, llvm::ArrayRef<LaunchGroup> Groups,
                       const std::optional<ResourceUse> &Compiled) {
  double Sum = 0, Threads = 0;
  unsigned Spilled = 0;
  for (const LaunchGroup &Group : Groups) {
    const std::vector<unsigned> Members = membersOf(P, Group);
    for (const unsigned Member : Members) {
      const SoloShape &Shape = P.Constituents[Member].Shapes.front();
      if (!Group.isFused())
        continue;
      Threads = std::max(Threads, static_cast<double>(Shape.Blocks * Shape.Block.threads()) / Group.Vectorize);
      if (Shape.Resources)
        Spilled += Shape.Resources->SpillStores + Shape.Resources->SpillLoads;
    }
    Sum += microsecondsOf(P, static_cast<double>(bytesMoved(*P.Graph, Members)), Group.Vectorize);
  }
  if (Compiled && Compiled->SpillStores + Compiled->SpillLoads > Spilled)
    Sum += Threads * (Compiled->SpillStores + Compiled->SpillLoads - Spilled) / bandwidthOf(P);
  return Sum;
}

double predictSeparate(const Problem &P) {
  std::vector<LaunchGroup> Alone;
  for (const ConstituentProblem &C : P.Constituents)
    Alone.push_back({{C.Name}, 1, C.Shapes.front().Block});
  return predictLaunches(P, Alone, {});
}

double leastMicroseconds(const Problem &P) {
  if (P.Gpu.DramBytesPerMicrosecond <= 0)
    return 0;
  const auto All = llvm::to_vector(llvm::seq<unsigned>(0, P.Constituents.size()));
  return static_cast<double>(bytesMoved(*P.Graph, All)) / P.Gpu.DramBytesPerMicrosecond;
}

} // namespace cufuse
