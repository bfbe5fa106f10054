#include "cufuse/Driver/Describe.h"

#include <fmt/core.h>

namespace cufuse {

std::string explainReading(llvm::ArrayRef<LoadedKernel> Kernels) {
  return Kernels.front().Predefined
             ? "nvcc preprocesses the files, for each architecture, to the text that was read"
             : "not checked, since nvcc cannot be asked: that it preprocesses the files to the text that was read";
}

std::vector<std::string> explain(const FusionPlan &Plan, llvm::ArrayRef<LoadedKernel> Kernels,
                                 llvm::ArrayRef<Constituent> Constituents) {
  std::vector<std::string> Lines;
  for (const PartitionPlan &P : Plan.Partitions) {
    const KernelFacts &Facts = Kernels[P.Constituent].Facts;
    const std::string &Name = Constituents[P.Constituent].Name;
    Lines.push_back(
        fmt::format("{}: threads {} to {}{}", Name, P.First, P.First + P.Reserved - 1,
                    P.PaddedThreads == P.Block.threads() ? "" : ", the last warp filled up with idle lanes"));
    Lines.push_back(
        P.WholeBlock && P.Synchronises ? fmt::format("{}: the barrier of the block, which is all its own", Name)
        : P.OfLanes || (P.OfPart && P.Synchronises)
            ? fmt::format("{}: its {} lanes of a warp meet by themselves", Name, P.Block.threads())
        : P.Synchronises
            ? fmt::format("{}: barrier {} for {} threads: {}", Name, P.Barrier, P.PaddedThreads,
                          Facts.namesAnyBarrier()   ? "it may name any"
                          : !Facts.Barriers.empty() ? "it synchronises"
                          : Facts.sharesIndices()   ? "its functions read the block index from shared memory"
                                                    : "its blocks follow each other in the same shared memory")
            : fmt::format("{}: no barrier: it never synchronises", Name));
    if (P.DropsOut)
      for (const Finding &Exit : Facts.ExitsBeforeBarrier)
        Lines.push_back(fmt::format("{}: an mbarrier instead, which leaving threads drop out of: {}: {}", Name,
                                    Exit.Where.str(), Exit.What));
  }
  return Lines;
}

std::vector<std::string> explainTexts(llvm::ArrayRef<Constituent> Constituents) {
  std::vector<std::string> Lines;
  for (const Constituent &C : Constituents)
    Lines.push_back(fmt::format("{}: {} declarations copied, {} includes kept", C.Name, C.Text->Body.size(),
                                C.Text->Includes.size()));
  return Lines;
}

} // namespace cufuse
