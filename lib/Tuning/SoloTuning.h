// The constituents alone: as given, in every launch shape that the workload allows, and with arguments bound and loops
// unrolled. What is found settles what fusion has to beat, and what fused candidates are made of.
#pragma once

#include "TuningSubject.h"
#include "cufuse/Search/TuneResult.h"

#include <llvm/Support/ThreadPool.h>

namespace cufuse {

/// A kernel as it is.
struct CompiledAlone {
  std::string Cubin, Entry;
  ResourceUse Resources;
};

/// Compiles the kernels as they are, by the user's own flags, all at once, beginning when it is made.
class SoloCompilation {
public:
  /// The references outlive it.
  SoloCompilation(const Workload &Work, const std::string &Arch, Compiler &Back, llvm::ThreadPoolInterface &Pool);
  ~SoloCompilation();
  /// Waits. Fails with the errors of all.
  llvm::Expected<std::vector<CompiledAlone>> finish(llvm::ArrayRef<LoadedKernel> Kernels);

private:
  std::vector<std::optional<llvm::Expected<CompiledKernels>>> Compiled; ///< By constituent.
  llvm::ThreadPoolTaskGroup Tasks;                                      ///< Last: they end first.
};

/// What is known of the kernels alone.
struct SoloFindings {
  /// With resources, times and counters of the shapes, the best grid of each, and what is bound and unrolled.
  Problem What;
  PackedShapes Packed; ///< The subject's, in these grids.
  std::vector<SoloResult> Solo;
  std::vector<SoloResult> Failed; ///< Variants that cannot be compiled, crash or give other results.
  unsigned LeftOut = 0;           ///< Variants that were not built, because it was late.
  std::vector<BaselineResult> Baselines;
  std::vector<Schedule> Launched; ///< By position those of the baselines.
  /// A sample is of several passes: then loops of launches and graphs are on scales of their own.
  bool SeveralPasses = false;
  /// By constituent: its best form, where that is another text than the user's.
  std::vector<std::optional<FusionConfig>> Rewritten;
};

/// The launches given, one after the other: what everything is compared with.
Schedule referenceOf(const TuningSubject &Subject, llvm::ArrayRef<CompiledAlone> Alone);

/// Without a GPU, only resources are found. Linked kernels are measured in the launches given, and no others. `What`
/// has the shapes of `Subject.Packed`. Fails when the kernels as given or in the workload's other shapes do not run or
/// differ in their results.
llvm::Expected<SoloFindings> tuneAlone(const TuningTools &Tools, const TuningSubject &Subject, Problem What,
                                       llvm::ArrayRef<CompiledAlone> Alone);

} // namespace cufuse
