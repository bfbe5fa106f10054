// The constituents alone: as given, in every launch shape that the workload allows, and with arguments bound and loops
// unrolled. What is found settles what fusion has to beat, and what fused candidates are made of.
#pragma once

#include "cufuse/Driver/FuseEvaluator.h"
#include "cufuse/Tune/TuneResult.h"
#include "cufuse/Workload/Workload.h"

#include <llvm/Support/ThreadPool.h>

#include <future>

namespace cufuse {

/// What is tuned: kernels, and the launches that the workload allows. By constituent where there are several of a kind.
struct TuningSubject {
  Workload Work;
  std::vector<LoadedKernel> Kernels;
  EmitOptions Emit;    ///< Of the fused source.
  PackedShapes Packed; ///< By shape, as `Problem` lists them; the first is the one given.
  std::vector<std::vector<std::pair<std::string, std::string>>> Bindable; ///< Arguments with their values.
  bool MayUnroll = true;

  /// A kernel alone is written as `OUT.KERNEL.cu`.
  EmitOptions emitAlone(size_t I) const;
};

/// A few samples, to rank.
constexpr Stopping ShortStop{.RelativeNoise = 0.02, .MinSamples = 5, .MaxSamples = 12, .MaxSeconds = 0.2};

/// Kernels shorter than this many microseconds can be waiting for the host.
constexpr double HostLimited = 50;

/// A way to launch a constituent alone.
struct SoloVariant {
  unsigned Shape = 0; ///< Of `Problem::Constituents[i].Shapes`.
  std::uint64_t Blocks = 1;
  unsigned Unroll = 0;
  bool Bound = false;
  KernelLaunch Launch = {};
  Evaluation Result = {}; ///< `Measured` without a time: can be measured.
  std::map<std::string, double> Counters = {};
  unsigned Tried = 1; ///< Variants of this constituent that were measured on this level.
};

class SoloTuning {
public:
  /// The references outlive it. `Result.What` has the shapes of `Subject.Packed` once these are known; it takes what is
  /// found: resources, times and counters of the shapes, the best grid of each, what is bound and unrolled, and the
  /// baselines.
  SoloTuning(const Toolchain &Tools, TuningSubject &Subject, Compiler &Back, llvm::ThreadPoolInterface &Pool,
             TuneResult &Result);
  ~SoloTuning();

  /// Begins to compile the kernels as they are, by the user's own flags, all at once; needs no more than
  /// `Subject.Work`.
  void beginCompiling();
  /// Waits for that, once the kernels are known. Fails with the errors of all.
  llvm::Error finishCompiling();
  /// What everything is compared with: the launches given.
  Schedule reference() const;
  /// The three levels. A variant that cannot be compiled, crashes or gives other results is left out and is one of
  /// `SoloFailed`. Fails when the kernels as given or in the workload's other shapes do not run or differ in their
  /// results.
  llvm::Error measure(RunnerPool &Gpus);
  /// The launches given, and no other level. Fails as `measure` does.
  llvm::Error measureAsGiven(RunnerPool &Gpus);

  /// Whether a constituent in its best form is another text than the user's, and how that is emitted.
  bool isRewritten(size_t I) const { return Best[I].Bound || Best[I].Unroll; }
  FusionConfig bestConfig(size_t I) const { return configOf(I, Best[I]); }
  /// Whether a sample is of several passes: then loops of launches and graphs are on scales of their own.
  bool isOfSeveralPasses() const { return SeveralPasses; }
  /// By position those of `TuneResult::Baselines`.
  const std::vector<Schedule> &launched() const { return Launched; }

private:
  struct CompiledAlone {
    std::string Cubin, Entry;
    ResourceUse Resources;
  };
  using Variants = std::vector<SoloVariant>;

  llvm::Expected<CompiledAlone> compiled(size_t I);
  Variants shapes(size_t I) const;
  void addGrids(size_t I, Variants &All) const;
  llvm::Error measureShapes(size_t I);
  void buildVariants(size_t I);
  void bind();
  void chooseUnrolls(size_t I, llvm::ArrayRef<SoloVariant> Measured);
  void carryOver(size_t I, llvm::ArrayRef<SoloVariant> Measured);
  llvm::Error settle(SoloLevel Level, Variants &All);
  void measureAll(Variants &All, Effort How);
  SoloResult resultOf(size_t I, SoloLevel Level, const SoloVariant &Variant) const;
  void dropFailed(size_t I, SoloLevel Level, Variants &All);
  FusionConfig configOf(size_t I, const SoloVariant &Variant) const;

  Problem &What() const { return Result.What; }

  const Toolchain &Tools;
  TuningSubject &Subject;
  Compiler &Back;
  TuneResult &Result;
  RunnerPool *Gpus = nullptr;
  std::vector<std::optional<llvm::Expected<CompiledKernels>>> Compiled; ///< By constituent, as it is.
  std::vector<CompiledAlone> Alone;
  Variants Given, Shaped;                                             ///< By constituent, as `Best`.
  Variants Best;                                                      ///< By constituent: the fastest so far.
  std::vector<Variants> Near;                                         ///< By constituent: its best shapes.
  std::vector<std::vector<std::shared_future<SoloVariant>>> Building; ///< By constituent: with bound arguments.
  std::vector<Schedule> Launched;
  bool SeveralPasses = false;
  llvm::ThreadPoolTaskGroup Tasks; ///< Last: they end first.
};

} // namespace cufuse
