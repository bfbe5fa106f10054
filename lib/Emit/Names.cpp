#include "cufuse/Emit/Emit.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

#include <map>
#include <set>

namespace cufuse {

std::vector<std::string> constituentNames(llvm::ArrayRef<const KernelFacts *> Facts) {
  std::map<std::string, unsigned> Count, Next;
  for (const KernelFacts *F : Facts)
    ++Count[F->Name];
  // What else stands in the namespace of the output.
  std::set<std::string> Taken = {"fused",
                                 "launch",
                                 "gridOf",
                                 "divisorOf",
                                 "blocksOf",
                                 "strideOf",
                                 "CufuseGrid",
                                 "CufusePartition",
                                 "cufuse_dynamicShared",
                                 "shareOf",
                                 "inEvenRounds",
                                 "CufuseShare",
                                 "cufuseRegisters",
                                 "CufuseTicket",
                                 "sameBits",
                                 "fused_bound",
                                 "cufuse_moreConstants",
                                 "CufuseAsked",
                                 "askDriver",
                                 "launchAsked",
                                 "allowShared",
                                 "mapMatrices",
                                 "larger",
                                 "meet",
                                 "anyMeet",
                                 "loads",
                                 "stores",
                                 "CufuseBytes",
                                 "Way",
                                 "isDisabled",
                                 "orApart"};
  std::vector<std::string> Names;
  std::set<std::string> Parameters; // of the fused kernel
  for (const KernelFacts *F : Facts) {
    std::string Name = Count[F->Name] == 1 ? F->Name : fmt::format("{}_{}", F->Name, Next[F->Name]++);
    auto Clashes = [&](llvm::StringRef Own) { return Parameters.count((Name + "_" + Own).str()) != 0; };
    std::vector<std::string> Own = {"grid", "blocks", "share", "resident", "dynamicOffset", "dynamicStride"};
    for (const ParameterFacts &P : F->Parameters)
      Own.push_back(P.Name);
    while (Taken.count(Name) || llvm::any_of(Own, Clashes))
      Name += '_';
    Taken.insert(Name);
    for (const std::string &Each : Own)
      Parameters.insert(Name + "_" + Each);
    Names.push_back(Name);
  }
  return Names;
}

std::string textNamespace(const std::string &Name, const Constituent &C) {
  // The parts of a composed kernel have namespaces of their own.
  return textsNamespace(Name) + (C.Text->IsComposed && C.IsAlone ? "" : "::cufuse_" + C.Name);
}

std::string parameterName(llvm::ArrayRef<Constituent> Constituents, const Constituent &C, const std::string &Name) {
  // What the text of the fused kernel names itself.
  constexpr std::array<llvm::StringRef, 11> Ours = {"block", "blockDim", "blockIdx", "gridDim", "kernel",   "place",
                                                    "pools", "ticket",   "turn",     "dim3",    "threadIdx"};
  return Constituents.size() > 1 || llvm::is_contained(Ours, Name) ? C.Name + "_" + Name : Name;
}

std::string textsNamespace(const std::string &Name) { return Name + "_text"; }

} // namespace cufuse
