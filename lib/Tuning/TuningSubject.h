// What is tuned: kernels, and the launches that the workload allows. Nothing changes it once it is there.
#pragma once

#include "cufuse/Compile/Compiler.h"
#include "cufuse/Driver/Fuser.h"
#include "cufuse/Runner/RunnerPool.h"
#include "cufuse/Workload/Launches.h"

#include <functional>

namespace llvm {
class ThreadPoolInterface;
}

namespace cufuse {

/// Arguments with their values.
using BoundArguments = std::vector<std::pair<std::string, std::string>>;
/// What a fusion is launched with: by constituent, the packed kernel of each of its shapes, as `Problem` lists them.
using PackedShapes = std::vector<std::vector<PackedKernel>>;

/// By constituent where there are several of a kind.
struct TuningSubject {
  Workload Work;
  std::vector<LoadedKernel> Kernels;
  EmitOptions Emit;                     ///< Of the fused source.
  PackedShapes Packed;                  ///< The first of each is the one given.
  std::vector<BoundArguments> Bindable; ///< That may be bound.
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
  std::function<bool()> Interrupted = [] { return false; }; ///< The user has asked to stop.
  std::function<bool()> IsLate = [] { return false; };      ///< Half of the budget that was given is spent.
};

} // namespace cufuse
