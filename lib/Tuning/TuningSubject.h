// What is tuned: kernels, and the launches that the workload allows. Nothing changes it once it is there.
#pragma once

#include "cufuse/Tuning/FuseEvaluator.h"
#include "cufuse/Workload/Workload.h"

namespace cufuse {

/// By constituent where there are several of a kind.
struct TuningSubject {
  Workload Work;
  std::vector<LoadedKernel> Kernels;
  EmitOptions Emit;    ///< Of the fused source.
  PackedShapes Packed; ///< By shape, as `Problem` lists them; the first is the one given.
  std::vector<std::vector<std::pair<std::string, std::string>>> Bindable; ///< Arguments with their values.
  bool MayUnroll = true;

  bool isLinked() const { return !Work.Links.empty(); }
  /// A kernel alone is written as `OUT.KERNEL.cu`.
  EmitOptions emitAlone(size_t I) const;
};

/// A few samples, to rank.
constexpr Stopping ShortStop{.RelativeNoise = 0.02, .MinSamples = 5, .MaxSamples = 12, .MaxSeconds = 0.2};

/// What a tuning works with; all of it outlives its parts.
struct TuningTools {
  const Toolchain &Clang;
  Compiler &Back;
  llvm::ThreadPoolInterface &Pool; ///< For the compilers.
  RunnerPool &Gpus;
};

} // namespace cufuse
