#include "SoloTuning.h"

#include "CandidateRuns.h"
#include "cufuse/Compile/Cubin.h"
#include "cufuse/Gpu/Occupancy.h"
#include "cufuse/Plan/FusedLaunch.h"
#include "cufuse/Search/Verdict.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <deque>

namespace cufuse {

namespace {
/// Kernels shorter than this many microseconds can be waiting for the host.
constexpr double HostLimited = 50;
constexpr double NearBest = 1.05;                  // shapes that may be the best ones when arguments are bound
constexpr size_t MostNear = 4, MostNearOfAll = 16; // of one kernel, and of all together
constexpr double Cheaper = 1.15; // unrolled otherwise and slower by no more, a kernel may be better beside another

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
  bool LeftOut = false;
};

bool isFaster(const SoloVariant &A, const SoloVariant &B) { return A.Result.Microseconds < B.Result.Microseconds; }

auto launches(llvm::ArrayRef<SoloVariant> All) {
  return llvm::map_to_vector(All, [](const SoloVariant &Variant) { return Variant.Launch; });
}

/// Whether to try the `Rank`th best shape so. With more loads in flight another shape may be the best: those that are
/// nearly as good are tried, too, with arguments fixed where they can be, as that hardly ever costs anything.
bool isWorthTrying(size_t Rank, bool Bind, unsigned Unroll, bool Bindable) {
  if (Bind ? !Bindable : Unroll == 0)
    return false;
  return Rank == 0 || ((Bind || !Bindable) && Unroll != 2);
}

class SoloTuning {
public:
  SoloTuning(const TuningTools &Tools, const TuningSubject &Subject, Problem What, llvm::ArrayRef<CompiledAlone> Alone)
      : Tools(Tools), Subject(Subject), Alone(Alone), Near(Alone.size()), Built(Alone.size()) {
    Found.What = std::move(What);
    Found.Packed = Subject.Packed;
    Found.Rewritten.resize(Alone.size());
    for (size_t I = 0; I < Alone.size(); ++I)
      for (SoloShape &Shape : Found.What.Constituents[I].Shapes)
        Shape.Resources = Alone[I].Resources;
    for (size_t I = 0; I < Alone.size(); ++I)
      Tasks.emplace_back(Tools.Pool);
  }

  llvm::Error measure();
  llvm::Error measureAsGiven();
  SoloFindings take() {
    for (size_t I = 0; I < Best.size(); ++I)
      if (Best[I].Bound || Best[I].Unroll > 0)
        Found.Rewritten[I] = configOf(I, Best[I]);
    return std::move(Found);
  }

private:
  using Variants = std::vector<SoloVariant>;

  Variants shapes(size_t I) const;
  void addGrids(size_t I, Variants &All) const;
  llvm::Error measureShapes(size_t I);
  void buildVariants(size_t I);
  llvm::Error beginToBuild(Fuser &Single, size_t I, SoloVariant &One);
  void bind();
  void chooseUnrolls(size_t I, llvm::ArrayRef<SoloVariant> Measured);
  void carryOver(size_t I, llvm::ArrayRef<SoloVariant> Measured);
  llvm::Error settle(SoloLevel Level, Variants &All);
  void measureAll(Variants &All, Effort How);
  SoloResult resultOf(size_t I, SoloLevel Level, const SoloVariant &Variant) const;
  void dropFailed(size_t I, SoloLevel Level, Variants &All);
  FusionConfig configOf(size_t I, const SoloVariant &Variant) const;
  BoundArguments boundIn(size_t I, const SoloVariant &Variant) const {
    return Variant.Bound ? Subject.Bindable[I] : BoundArguments();
  }

  const TuningTools &Tools;
  const TuningSubject &Subject;
  const llvm::ArrayRef<CompiledAlone> Alone;
  SoloFindings Found;
  // By constituent.
  Variants Given, Shaped;
  Variants Best;                               ///< The fastest so far.
  std::vector<Variants> Near;                  ///< Its best shapes.
  std::vector<Variants> Built;                 ///< With bound arguments.
  std::deque<llvm::ThreadPoolTaskGroup> Tasks; ///< That build these. Last: they end first.
};

/// The three levels.
llvm::Error SoloTuning::measure() {
  for (size_t I = 0; I < Subject.Kernels.size(); ++I) {
    TRY(measureShapes(I));
    if (!Tools.Interrupted())
      buildVariants(I); // while the GPU goes on
  }
  // Compilers would slow down loops of launches that the host limits.
  if (llvm::any_of(Given, [](const SoloVariant &V) { return V.Result.Microseconds < HostLimited; }))
    for (llvm::ThreadPoolTaskGroup &Own : Tasks)
      Own.wait();
  TRY(settle(SoloLevel::Given, Given));
  Best = Given;
  if (Tools.Interrupted()) // what was found so far is what is reported
    return llvm::Error::success();
  if (!llvm::equal(Given, Shaped, [](const SoloVariant &A, const SoloVariant &B) {
        return A.Shape == B.Shape && A.Blocks == B.Blocks;
      })) {
    TRY(settle(SoloLevel::Shaped, Shaped));
    Best = Shaped;
  }
  const Variants Before = Best;
  bind();
  if (llvm::equal(Before, Best, [](const SoloVariant &A, const SoloVariant &B) {
        return A.Bound == B.Bound && A.Unroll == B.Unroll;
      }))
    return llvm::Error::success();
  TRY(settle(SoloLevel::Bound, Best));
  for (size_t I = 0; I < Best.size(); ++I) {
    SoloShape &Shape = Found.What.Constituents[I].Shapes[Best[I].Shape];
    Shape.Microseconds = Best[I].Result.Microseconds;
    Shape.RelativeNoise = Best[I].Result.RelativeNoise;
  }
  return llvm::Error::success();
}

/// The launches given, and no other level.
llvm::Error SoloTuning::measureAsGiven() {
  for (size_t I = 0; I < Subject.Kernels.size(); ++I)
    Given.push_back(shapes(I).front());
  TRY(settle(SoloLevel::Given, Given));
  for (size_t I = 0; I < Given.size(); ++I)
    Found.What.Constituents[I].Shapes.front().Microseconds = Given[I].Result.Microseconds;
  return llvm::Error::success();
}

/// Every launch shape that the workload allows.
SoloTuning::Variants SoloTuning::shapes(size_t I) const {
  Variants All;
  for (unsigned Shape = 0; Shape < Found.Packed[I].size(); ++Shape) {
    SoloVariant &One = All.emplace_back();
    One.Shape = Shape;
    One.Blocks = Found.What.Constituents[I].Shapes[Shape].Blocks;
    One.Launch = launchAlone(Found.Packed[I][Shape], Alone[I].Cubin, Alone[I].Entry);
    One.Result.Outcome = Fate::Measured;
    One.Result.Resources = Alone[I].Resources;
  }
  addGrids(I, All);
  return All;
}

/// Grids to try for a kernel that allows any: multiples of what the GPU holds at once.
void SoloTuning::addGrids(size_t I, Variants &All) const {
  if (!Subject.Work.Kernels[I].AnyGrid)
    return;
  const GpuFacts &Gpu = Found.What.Gpu;
  for (size_t V = 0, Count = All.size(); V < Count; ++V) {
    const PackedKernel &Kernel = Found.Packed[I][All[V].Shape];
    const ResourceUse &Use = Alone[I].Resources;
    const Occupancy Fits =
        occupancyOf(smLimits(Gpu.Arch), {static_cast<unsigned>(Kernel.Block.threads()), Use.Registers,
                                         Use.SharedBytes + Kernel.Launch.DynamicBytes, Use.Barriers});
    for (unsigned Waves : {1, 2, 4}) {
      SoloVariant Other = All[V];
      Other.Blocks = std::uint64_t(Fits.Blocks) * Gpu.Multiprocessors * Waves;
      Other.Launch.Grid = {static_cast<std::uint32_t>(Other.Blocks), 1, 1};
      if (Other.Blocks > 0 && Other.Blocks < All[V].Blocks)
        All.push_back(std::move(Other));
    }
  }
}

/// Fills `Given` and `Shaped`; a fused kernel gets the grid that is best for the block.
llvm::Error SoloTuning::measureShapes(size_t I) {
  Variants All = shapes(I);
  if (Tools.Interrupted())
    All.erase(All.begin() + 1, All.end());
  measureAll(All, Effort::Short);
  Given.push_back(All.front());
  if (Given.back().Result.Outcome != Fate::Measured)
    return badInput(fmt::format("{} cannot be run alone: {}", Found.What.Constituents[I].Name, Given.back().Result.Why),
                    "correct the workload, or the kernel", Subject.Work.Kernels[I].Where);
  const auto Tried = static_cast<unsigned>(All.size());
  dropFailed(I, SoloLevel::Shaped, All);
  llvm::sort(All, isFaster);
  Shaped.push_back(All.front());
  Shaped.back().Tried = Tried;
  std::vector<SoloShape> &Shapes = Found.What.Constituents[I].Shapes;
  for (unsigned Shape = 0; Shape < Shapes.size(); ++Shape) {
    const auto Fastest = llvm::find_if(All, [&](const SoloVariant &V) { return V.Shape == Shape; });
    if (Fastest == All.end())
      continue;
    if (Fastest->Result.Microseconds <= NearBest * All.front().Result.Microseconds)
      Near[I].push_back(*Fastest);
    Shapes[Shape].Microseconds = Fastest->Result.Microseconds;
    Shapes[Shape].RelativeNoise = Fastest->Result.RelativeNoise;
    Shapes[Shape].Blocks = Fastest->Blocks;
    Found.Packed[I][Shape].Launch.Grid = Fastest->Launch.Grid;
  }
  llvm::sort(Near[I], isFaster);
  const size_t Most = std::clamp<size_t>(MostNearOfAll / Near.size(), 1, MostNear);
  if (Near[I].size() > Most)
    Near[I].erase(Near[I].begin() + Most, Near[I].end());
  return llvm::Error::success();
}

/// Begins to compile the constituent as cufuse emits it alone, with arguments fixed at compile time and its outer loop
/// unrolled, in its best shapes.
void SoloTuning::buildVariants(size_t I) {
  EmitOptions Emit = ofAnyCommand(Subject.emitAlone(I));
  Emit.KernelOnly = true;
  Fuser Single(Tools.Clang, llvm::ArrayRef(Subject.Kernels).slice(I, 1), Emit);
  for (size_t Rank = 0; Rank < Near[I].size(); ++Rank)
    for (const bool Bind : {true, false})
      for (const unsigned Unroll : {0u, 2u, 4u, 8u})
        if ((Unroll == 0 || (Subject.MayUnroll && Subject.Kernels[I].Facts.GridStrideLoop)) &&
            isWorthTrying(Rank, Bind, Unroll, !Subject.Bindable[I].empty())) {
          SoloVariant &One = Built[I].emplace_back(Near[I][Rank]);
          One.Bound = Bind;
          One.Unroll = Unroll;
        }
  for (SoloVariant &One : Built[I])
    if (llvm::Error Error = beginToBuild(Single, I, One))
      One.Result = failedWith(Fate::Impossible, std::move(Error));
}

llvm::Error SoloTuning::beginToBuild(Fuser &Single, size_t I, SoloVariant &One) {
  auto Plan = TRY(Single.plan(configOf(I, One)));
  auto Text = TRY(Single.emit(Plan));
  Tasks[I].async([this, I, &One, Job = jobOf(Single, std::move(Text), Found.What.Gpu.Arch), Plan = std::move(Plan),
                  Name = Single.options().Name] {
    if (Tools.Interrupted()) {
      One.Result = failedWith(Fate::CompileFailed, "the search was interrupted");
      return;
    }
    if (Tools.IsLate()) {
      One.LeftOut = true;
      return;
    }
    auto Compiled = Tools.Back.compile(Job);
    if (!Compiled) {
      One.Result = failedWith(Fate::CompileFailed, Compiled.takeError());
      return;
    }
    BuiltCandidate Done = understand(Plan, Name, fusedEntry(Plan, Name), *Compiled, &Subject.Kernels[I].Facts,
                                     {Found.Packed[I][One.Shape]}, Found.What.Gpu);
    One.Result = std::move(Done.Result);
    if (!Done.Launches.empty())
      One.Launch = std::move(Done.Launches.front());
  });
  return llvm::Error::success();
}

/// Replaces each of `Best` by the fastest variant that is worth it and gives the same results.
void SoloTuning::bind() {
  for (size_t I = 0; I < Best.size() && !Tools.Interrupted(); ++I) {
    Tasks[I].wait();
    Variants All = std::move(Built[I]);
    const size_t Begun = All.size();
    llvm::erase_if(All, [](const SoloVariant &V) { return V.LeftOut; });
    Found.LeftOut += static_cast<unsigned>(Begun - All.size());
    dropFailed(I, SoloLevel::Bound, All);
    measureAll(All, Effort::Short);
    const auto Tried = static_cast<unsigned>(All.size());
    dropFailed(I, SoloLevel::Bound, All);
    llvm::sort(All, isFaster);
    // Between equals, bound ones first: they issue fewer instructions, and what they leave free another kernel can use.
    // Then those that are unrolled less: they need fewer registers.
    const double Equal = All.empty() ? 0 : AboutEqual * All.front().Result.Microseconds;
    auto Rank = [&](const SoloVariant &V) {
      const bool Slower = V.Result.Microseconds > Equal;
      return std::tuple(Slower, Slower || !V.Bound, Slower ? 0 : V.Unroll, V.Result.Microseconds);
    };
    llvm::sort(All, [&](const SoloVariant &A, const SoloVariant &B) { return Rank(A) < Rank(B); });
    for (const SoloVariant &Variant : All) {
      if (Variant.Result.Microseconds > (Variant.Bound ? AboutEqual : 1 / AboutEqual) * Best[I].Result.Microseconds)
        continue;
      Variants Mixed = Best;
      Mixed[I] = Variant;
      Schedule Together = baselines(launches(Mixed)).front();
      Together.Stop = ShortStop;
      const RunOutcome Outcome = Tools.Gpus.run({std::move(Together)}).front();
      if (Outcome.Status != RunStatus::Done) {
        Found.Failed.push_back(resultOf(I, SoloLevel::Bound, Variant));
        Found.Failed.back().Result = withOutcome(Variant.Result, Outcome);
        continue;
      }
      Best[I] = Variant;
      Best[I].Tried = Tried;
      carryOver(I, All);
      if (Best[I].Bound)
        Found.What.Constituents[I].Bound = Subject.Bindable[I];
      chooseUnrolls(I, All);
      break;
    }
  }
}

/// The best factor alone first, then those that may be better beside another kernel.
void SoloTuning::chooseUnrolls(size_t I, llvm::ArrayRef<SoloVariant> Measured) {
  const SoloVariant &Own = Best[I];
  std::vector<unsigned> &Unrolls = Found.What.Constituents[I].Unrolls;
  auto Any = [&](auto Is) {
    return llvm::find_if(Measured, [&](const SoloVariant &V) {
      return V.Bound == Own.Bound && V.Result.Microseconds <= Cheaper * Own.Result.Microseconds && Is(V);
    });
  };
  Unrolls = {Own.Unroll};
  const auto Saving = Any([&](const SoloVariant &V) {
    return V.Shape == Own.Shape && V.Unroll != Own.Unroll && V.Result.Resources && Own.Result.Resources &&
           V.Result.Resources->Registers < Own.Result.Resources->Registers;
  });
  if (Saving != Measured.end())
    Unrolls.push_back(Saving->Unroll);
  // Where twice as many loads in flight cost little alone, fewer blocks of them may do beside another kernel.
  const unsigned More = 2 * Own.Unroll;
  if (More > 0 && Any([&](const SoloVariant &V) { return V.Unroll == More; }) != Measured.end())
    Unrolls.insert(Unrolls.end(), {More, 2 * More});
}

/// Every shape with what is now bound and unrolled: its time as measured, or as much shorter as that of the best one
/// has become.
void SoloTuning::carryOver(size_t I, llvm::ArrayRef<SoloVariant> Measured) {
  std::vector<SoloShape> &Shapes = Found.What.Constituents[I].Shapes;
  const double Factor = Best[I].Result.Microseconds / Shapes[Best[I].Shape].Microseconds;
  for (unsigned Shape = 0; Shape < Shapes.size(); ++Shape) {
    const auto Own = llvm::find_if(Measured, [&](const SoloVariant &V) {
      return V.Shape == Shape && V.Bound == Best[I].Bound && V.Unroll == Best[I].Unroll;
    });
    Shapes[Shape].Microseconds = Own != Measured.end() ? Own->Result.Microseconds : Factor * Shapes[Shape].Microseconds;
    Shapes[Shape].Resources = Best[I].Result.Resources;
  }
}

/// Measures one level to the end: each alone with its counters, and all of them without fusion.
llvm::Error SoloTuning::settle(SoloLevel Level, Variants &All) {
  measureAll(All, Effort::Full);
  for (size_t I = 0; I < All.size(); ++I) {
    Found.What.Constituents[I].Shapes[All[I].Shape].Counters = All[I].Counters;
    Found.Solo.push_back(resultOf(I, Level, All[I]));
  }
  std::vector<Schedule> Schedules = baselines(launches(All), " " + nameOf(Level).str());
  if (!Subject.Work.Links.empty())
    Schedules.resize(1); // kernels that depend on each other run one after the other
  const std::vector<RunOutcome> Outcomes = Tools.Gpus.run(Schedules);
  for (size_t I = 0; I < Schedules.size(); ++I) {
    Found.Baselines.push_back({Schedules[I].How, Level, withOutcome({}, Outcomes[I]), {}});
    Found.Launched.push_back(std::move(Schedules[I]));
  }
  const RunOutcome &Serial = Outcomes.front();
  Found.SeveralPasses = Serial.Time && Serial.Time->Passes > 1;
  if (Serial.Status == RunStatus::Done)
    return llvm::Error::success();
  return badInput(fmt::format("the kernels, {}, do not run as they should: {}", phraseOf(Level), Serial.What),
                  Level == SoloLevel::Given ? "correct the workload, or the kernels"
                                            : "allow only launch shapes with the same results, or state a tolerance");
}

/// Each alone, in a graph, so that the host limits none; results are not compared, since others' outputs are missing.
void SoloTuning::measureAll(Variants &All, Effort How) {
  std::vector<Schedule> Schedules;
  for (const SoloVariant &Variant : All) {
    Schedule One{fmt::format("alone {}", Schedules.size()), Schedule::Graph, {Variant.Launch}};
    One.Verify = false;
    One.Counters = How == Effort::Full;
    if (How == Effort::Short)
      One.Stop = ShortStop;
    Schedules.push_back(std::move(One));
  }
  const std::vector<RunOutcome> Outcomes = Tools.Gpus.run(std::move(Schedules));
  for (size_t I = 0; I < All.size(); ++I) {
    All[I].Result = withOutcome(std::move(All[I].Result), Outcomes[I]);
    All[I].Counters = Outcomes[I].Counters;
  }
}

SoloResult SoloTuning::resultOf(size_t I, SoloLevel Level, const SoloVariant &Variant) const {
  return {.Constituent = Found.What.Constituents[I].Name,
          .Level = Level,
          .Block = Found.What.Constituents[I].Shapes[Variant.Shape].Block,
          .Blocks = Variant.Blocks,
          .Unroll = Variant.Unroll,
          .Bound = boundIn(I, Variant),
          .Tried = Level == SoloLevel::Given ? 1 : Variant.Tried,
          .Result = Variant.Result,
          .Counters = Variant.Counters};
}

/// Keeps those that are or can be measured.
void SoloTuning::dropFailed(size_t I, SoloLevel Level, Variants &All) {
  for (const SoloVariant &Variant : All)
    if (Variant.Result.Outcome != Fate::Measured)
      Found.Failed.push_back(resultOf(I, Level, Variant));
  llvm::erase_if(All, [](const SoloVariant &Variant) { return Variant.Result.Outcome != Fate::Measured; });
}

FusionConfig SoloTuning::configOf(size_t I, const SoloVariant &Variant) const {
  return {.Constituents = {
              {.Block = Found.Packed[I][Variant.Shape].Block, .Unroll = Variant.Unroll, .Bound = boundIn(I, Variant)}}};
}

} // namespace

EmitOptions TuningSubject::emitAlone(size_t I) const {
  EmitOptions Alone = Emit;
  Alone.Name = Emit.Name + "_" + Work.Kernels[I].Name;
  const std::string Stem = llvm::sys::path::stem(Emit.SourceFile).str() + "." + Work.Kernels[I].Name;
  Alone.SourceFile = Stem + ".cu";
  Alone.HeaderFile = Stem + ".h";
  return Alone;
}

SoloCompilation::SoloCompilation(const Workload &Work, const std::string &Arch, Compiler &Back,
                                 llvm::ThreadPoolInterface &Pool)
    : Compiled(Work.Kernels.size()), Tasks(Pool) {
  for (size_t I = 0; I < Compiled.size(); ++I) {
    const WorkloadKernel &Kernel = Work.Kernels[I];
    const CompileFlags Flags = translateFlags(Kernel.Flags, Kernel.Folder);
    CompileJob Job;
    Job.Source = Kernel.Spec.File;
    Job.Arch = Arch;
    Job.Flags = Flags.Nvcc;
    if (!Flags.Standard.empty())
      Job.Flags.push_back("-std=" + Flags.Standard);
    Tasks.async([this, I, &Back, Job = std::move(Job)] { Compiled[I] = Back.compile(Job); });
  }
}

SoloCompilation::~SoloCompilation() {
  Tasks.wait();
  for (auto &One : Compiled)
    if (One)
      llvm::consumeError(One->takeError());
}

llvm::Expected<std::vector<CompiledAlone>> SoloCompilation::finish(llvm::ArrayRef<LoadedKernel> Kernels) {
  Tasks.wait();
  std::vector<CompiledAlone> Alone;
  llvm::Error Failed = llvm::Error::success();
  for (size_t I = 0; I < Compiled.size(); ++I) {
    llvm::Expected<CompiledKernels> &All = *Compiled[I];
    auto Entry = All ? entryName(All->Cubin, Kernels[I].Facts.MangledName) : All.takeError();
    if (Entry)
      Alone.push_back({All->Cubin, *Entry, All->Resources[*Entry]});
    else
      Failed = llvm::joinErrors(std::move(Failed), Entry.takeError());
  }
  if (Failed)
    return std::move(Failed);
  return Alone;
}

Schedule referenceOf(const TuningSubject &Subject, llvm::ArrayRef<CompiledAlone> Alone) {
  std::vector<KernelLaunch> Given;
  for (size_t I = 0; I < Alone.size(); ++I)
    Given.push_back(launchAlone(Subject.Packed[I][0], Alone[I].Cubin, Alone[I].Entry));
  return baselines(Given).front();
}

llvm::Expected<SoloFindings> tuneAlone(const TuningTools &Tools, const TuningSubject &Subject, Problem What,
                                       llvm::ArrayRef<CompiledAlone> Alone) {
  SoloTuning Tuning(Tools, Subject, std::move(What), Alone);
  if (Tools.Gpus.hasGpu())
    TRY(Subject.isLinked() ? Tuning.measureAsGiven() : Tuning.measure());
  return Tuning.take();
}

} // namespace cufuse
