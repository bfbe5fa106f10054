#include "cufuse/Driver/Tune.h"

#include "cufuse/Compile/Cubin.h"
#include "cufuse/Driver/FuseEvaluator.h"
#include "cufuse/Model/ResourceBound.h"
#include "cufuse/Profile/Metrics.h"
#include "cufuse/Tune/Json.h"
#include "cufuse/Tune/TuningDatabase.h"
#include "cufuse/Workload/Workload.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <ctime>
#include <numeric>

namespace cufuse {

namespace {

constexpr double AboutEqual = 1.01; // times that differ by less say nothing of which is better

/// A way to launch a constituent alone.
struct SoloVariant {
  unsigned Shape = 0; ///< Of `Problem::Constituents[i].Shapes`.
  std::uint64_t Blocks = 1;
  unsigned Unroll = 0;
  bool Bound = false;
  KernelLaunch Launch;
  ResourceUse Resources;
  Evaluation Result = {};
  std::map<std::string, double> Counters = {};
};

class Tuning {
public:
  Tuning(const Toolchain &Tools, const TuneRequest &Request, const SearchSeams &Seams)
      : Tools(Tools), Request(Request), Seams(Seams), Back(Tools.Nvcc, Request.CacheFolder) {}

  llvm::Expected<TuneAnswer> run() {
    const double Start = Seams.Now();
    Answer.Result.Command = Request.Command;
    Answer.Result.Version = Request.Version;
    Answer.Result.Started = startedNow();
    Answer.Result.Strategy = Request.Strategy;
    Answer.Result.RequiredSpeedup = Request.RequiredSpeedup;
    for (auto Step : {&Tuning::findGpu, &Tuning::load, &Tuning::packShapes, &Tuning::compileAlone,
                      &Tuning::measureAlone, &Tuning::bindAlone, &Tuning::search, &Tuning::write})
      if (llvm::Error Error = (this->*Step)())
        return std::move(Error);
    Answer.Result.Seconds = Seams.Now() - Start;
    if (llvm::Error Error = keep())
      return std::move(Error);
    return std::move(Answer);
  }

private:
  static std::string startedNow() {
    const std::time_t Now = std::time(nullptr);
    std::tm Utc{};
    gmtime_r(&Now, &Utc);
    char Text[32];
    std::strftime(Text, sizeof Text, "%Y-%m-%dT%H:%M:%SZ", &Utc);
    return Text;
  }

  llvm::Error findGpu() {
    if (!Request.WithoutGpu) {
      auto Found = listDevices(Request.Runner);
      if (Found) {
        for (const DeviceInfo &Device : *Found)
          if (Request.Devices.empty() ? Device.Index == 0 : llvm::is_contained(Request.Devices, Device.Index))
            Devices.push_back(Device);
        if (Devices.empty() || (!Request.Devices.empty() && Devices.size() != Request.Devices.size()))
          return badUsage(fmt::format("there are {} GPUs, and not all of those asked for", Found->size()));
      } else {
        Answer.Result.Notes.push_back("Nothing was measured: " + llvm::toString(Found.takeError()) +
                                      ". The candidates are ranked by the model after ptxas.");
      }
    }
    Answer.Result.Modelled = Devices.empty();
    GpuFacts &Gpu = What().Gpu;
    Gpu.Arch = Request.Arch;
    if (Devices.empty()) {
      if (Gpu.Arch.empty())
        Gpu.Arch = "sm_90a";
      return llvm::Error::success();
    }
    const DeviceInfo &First = Devices.front();
    Gpu.Name = First.Name;
    Gpu.Driver = fmt::format("{}.{}", First.Driver / 1000, First.Driver % 1000 / 10);
    Gpu.Multiprocessors = First.Multiprocessors;
    Gpu.DramBytesPerMicrosecond = First.DramBytesPerSecond / 1e6;
    // Budgets of registers and much else are for the `a` targets only.
    if (Gpu.Arch.empty())
      Gpu.Arch = First.Arch + (First.Arch >= "sm_90" || First.Arch.size() > 5 ? "a" : "");
    return llvm::Error::success();
  }

  /// Parses each file once for all candidates.
  llvm::Error load() {
    auto Read = readWorkload(Request.Workloads, Request.Settings);
    if (!Read)
      return Read.takeError();
    Work = std::move(*Read);
    std::vector<KernelSpec> Specs;
    std::vector<InputFlags> Flags;
    for (const WorkloadKernel &Kernel : Work.Kernels) {
      Specs.push_back(Kernel.Spec);
      Flags.push_back({Kernel.Flags, "", What().Gpu.Arch, Kernel.Folder});
    }
    auto Loaded = loadKernels(Tools, Specs, Flags);
    if (!Loaded)
      return Loaded.takeError();
    Kernels = std::move(*Loaded);
    if (llvm::Error Error = checkAll(Kernels))
      return Error;
    const llvm::StringRef File = llvm::sys::path::filename(Request.Output);
    FusedEmit.Name = Request.Name;
    FusedEmit.SourceFile = File.str();
    FusedEmit.HeaderFile = File.drop_back(3).str() + ".h";
    FusedEmit.Command = Request.Command;
    Fuse.emplace(Tools, Kernels, FusedEmit);
    return llvm::Error::success();
  }

  /// Every launch shape that the workload allows.
  llvm::Error packShapes() {
    for (size_t I = 0; I < Kernels.size(); ++I) {
      const WorkloadKernel &Kernel = Work.Kernels[I];
      ConstituentProblem Constituent;
      Constituent.Name = Kernel.Name;
      std::vector<PackedKernel> Shapes;
      for (const BlockShape &Block : blockChoices(Kernel.Blocks)) {
        if (const auto Most = Kernels[I].Facts.MaxThreads; Most && Block.threads() > *Most && !Shapes.empty())
          continue;
        auto One = packKernel(Kernels[I].Facts, Kernel, Work.Buffers, Block);
        if (!One)
          return One.takeError();
        Constituent.Shapes.push_back(shapeOf(*One));
        Shapes.push_back(std::move(*One));
      }
      if (!Kernel.Bindable.empty()) {
        auto Bound = boundArguments(Kernels[I].Facts, Kernel);
        if (!Bound)
          return Bound.takeError();
        Bindable.push_back(std::move(*Bound));
      } else {
        Bindable.emplace_back();
      }
      What().Constituents.push_back(std::move(Constituent));
      Packed.push_back(std::move(Shapes));
    }
    for (const ConstituentProblem &Each : What().Constituents)
      What().Workload += (What().Workload.empty() ? "" : " + ") + Each.Name;
    return llvm::Error::success();
  }

  static SoloShape shapeOf(const PackedKernel &Kernel) {
    const auto &Grid = Kernel.Launch.Grid;
    SoloShape Shape;
    Shape.Block = Kernel.Block;
    Shape.Blocks = 1ull * Grid[0] * Grid[1] * Grid[2];
    Shape.DynamicBytes = Kernel.Launch.DynamicBytes;
    return Shape;
  }

  /// The kernels as they are, by the user's own flags.
  llvm::Error compileAlone() {
    for (size_t I = 0; I < Kernels.size(); ++I) {
      CompileJob Job;
      Job.Source = Kernels[I].Spec.File;
      Job.Arch = What().Gpu.Arch;
      Job.Flags = Kernels[I].Flags.Nvcc;
      if (!Kernels[I].Flags.Standard.empty())
        Job.Flags.push_back("-std=" + Kernels[I].Flags.Standard);
      auto Compiled = Back.compile(Job);
      if (!Compiled)
        return Compiled.takeError();
      auto Entry = entryName(Compiled->Cubin, Kernels[I].Facts.MangledName);
      if (!Entry)
        return Entry.takeError();
      Alone.push_back({Compiled->Cubin, *Entry, Compiled->Resources[*Entry]});
      for (SoloShape &Shape : What().Constituents[I].Shapes)
        Shape.Resources = Alone[I].Resources;
    }
    return llvm::Error::success();
  }

  std::vector<KernelLaunch> launches(llvm::ArrayRef<SoloVariant> Variants) const {
    std::vector<KernelLaunch> All;
    for (const SoloVariant &Variant : Variants)
      All.push_back(Variant.Launch);
    return All;
  }

  /// Measures a variant of one constituent for each; its results are not compared, since others' outputs are missing.
  void measureVariants(std::vector<SoloVariant> &Variants, Effort How = Effort::Short) {
    std::vector<Schedule> Schedules;
    for (const SoloVariant &Variant : Variants) {
      Schedule One{fmt::format("alone {}", Schedules.size()), Schedule::Serial, {Variant.Launch}};
      One.Verify = false;
      One.Counters = How == Effort::Full;
      if (How == Effort::Short)
        One.Stop = ShortStop;
      Schedules.push_back(std::move(One));
    }
    const std::vector<RunOutcome> Outcomes = Gpus->run(std::move(Schedules));
    for (size_t I = 0; I < Variants.size(); ++I) {
      Variants[I].Result = withOutcome({}, Outcomes[I]);
      Variants[I].Result.Resources = Variants[I].Resources;
      Variants[I].Counters = Outcomes[I].Counters;
    }
  }

  /// The measured variant with the shortest time.
  static const SoloVariant *fastest(llvm::ArrayRef<SoloVariant> Variants) {
    const SoloVariant *Best = nullptr;
    for (const SoloVariant &Variant : Variants)
      if (Variant.Result.Outcome == Fate::Measured &&
          (!Best || Variant.Result.Microseconds < Best->Result.Microseconds))
        Best = &Variant;
    return Best;
  }

  void record(SoloLevel Level, llvm::ArrayRef<SoloVariant> Variants, unsigned Tried) {
    for (size_t I = 0; I < Variants.size(); ++I) {
      const SoloShape &Shape = What().Constituents[I].Shapes[Variants[I].Shape];
      SoloResult Solo;
      Solo.Constituent = What().Constituents[I].Name;
      Solo.Level = Level;
      Solo.Block = Shape.Block;
      Solo.Blocks = Variants[I].Blocks;
      Solo.Unroll = Variants[I].Unroll;
      if (Variants[I].Bound)
        Solo.Bound = Bindable[I];
      Solo.Tried = Tried;
      Solo.Result = Variants[I].Result;
      Solo.Counters = Variants[I].Counters;
      Answer.Result.Solo.push_back(std::move(Solo));
    }
  }

  llvm::Error startGpus() {
    std::vector<KernelLaunch> Given;
    for (size_t I = 0; I < Kernels.size(); ++I)
      Given.push_back(launchAlone(Packed[I][0], Alone[I].Cubin, Alone[I].Entry));
    Schedule Reference = baselines(Given, "").front();
    RunnerJob Job = runnerJob(Work, {Reference});
    Job.Metrics = metric::twoPasses();
    for (const std::string &Metric : metric::demands())
      if (!llvm::is_contained(Job.Metrics, Metric))
        Job.Metrics.push_back(Metric);
    std::vector<RunnerOptions> Runners;
    for (const DeviceInfo &Device : Devices)
      Runners.push_back({Request.Runner, Device.Index});
    Gpus.emplace(std::move(Runners), std::move(Job));
    return llvm::Error::success();
  }

  /// Grids to try for a kernel that allows any: multiples of what the GPU holds at once.
  void addGrids(size_t I, std::vector<SoloVariant> &Variants) const {
    if (!Work.Kernels[I].AnyGrid)
      return;
    const GpuFacts &Gpu = What().Gpu;
    for (size_t V = 0, Count = Variants.size(); V < Count; ++V) {
      const PackedKernel &Kernel = Packed[I][Variants[V].Shape];
      const ResourceUse &Use = Alone[I].Resources;
      const Occupancy Fits =
          occupancyOf(smLimits(Gpu.Arch), {static_cast<unsigned>(Kernel.Block.threads()), Use.Registers,
                                           Use.SharedBytes + Kernel.Launch.DynamicBytes, Use.Barriers});
      for (unsigned Waves : {1, 2, 4}) {
        SoloVariant Other = Variants[V];
        Other.Blocks = std::uint64_t(Fits.Blocks) * Gpu.Multiprocessors * Waves;
        Other.Launch.Grid = {static_cast<std::uint32_t>(Other.Blocks), 1, 1};
        if (Other.Blocks > 0 && Other.Blocks < Variants[V].Blocks)
          Variants.push_back(std::move(Other));
      }
    }
  }

  /// The first two levels: as given, and each in its own best launch shape.
  llvm::Error measureAlone() {
    if (llvm::Error Error = startGpus())
      return Error;
    if (!Gpus->hasGpu())
      return llvm::Error::success();
    std::vector<SoloVariant> Given, Shaped;
    unsigned Tried = 0;
    for (size_t I = 0; I < Kernels.size(); ++I) {
      std::vector<SoloShape> &Shapes = What().Constituents[I].Shapes;
      std::vector<SoloVariant> Variants;
      for (unsigned Shape = 0; Shape < Packed[I].size(); ++Shape)
        Variants.push_back({.Shape = Shape,
                            .Blocks = Shapes[Shape].Blocks,
                            .Launch = launchAlone(Packed[I][Shape], Alone[I].Cubin, Alone[I].Entry),
                            .Resources = Alone[I].Resources});
      addGrids(I, Variants);
      measureVariants(Variants);
      if (Variants.front().Result.Outcome != Fate::Measured)
        return badInput(
            fmt::format("{} cannot be run alone: {}", What().Constituents[I].Name, Variants.front().Result.Why),
            "correct the workload, or the kernel", Work.Kernels[I].Where);
      Tried = std::max<unsigned>(Tried, Variants.size());
      Given.push_back(Variants.front());
      Shaped.push_back(*fastest(Variants));
      // A fused kernel gets the grid that is best for the block.
      for (unsigned Shape = 0; Shape < Shapes.size(); ++Shape) {
        std::vector<SoloVariant> Same;
        llvm::copy_if(Variants, std::back_inserter(Same), [&](const SoloVariant &V) { return V.Shape == Shape; });
        const SoloVariant *Fastest = fastest(Same);
        if (!Fastest)
          continue;
        Shapes[Shape].Microseconds = Fastest->Result.Microseconds;
        Shapes[Shape].RelativeNoise = Fastest->Result.RelativeNoise;
        Shapes[Shape].Blocks = Fastest->Blocks;
        Packed[I][Shape].Launch.Grid = Fastest->Launch.Grid;
      }
    }
    if (llvm::Error Error = settle(SoloLevel::Given, Given, 1))
      return Error;
    Best = Given;
    if (std::equal(Given.begin(), Given.end(), Shaped.begin(), [](const SoloVariant &A, const SoloVariant &B) {
          return A.Shape == B.Shape && A.Blocks == B.Blocks;
        }))
      return llvm::Error::success();
    if (llvm::Error Error = settle(SoloLevel::Shaped, Shaped, Tried))
      return Error;
    Best = Shaped;
    return llvm::Error::success();
  }

  /// Measures one level to the end: each alone with its counters, and all of them without fusion. Fails when serial
  /// launches do not run or do not give the results of those in the shapes given.
  llvm::Error settle(SoloLevel Level, std::vector<SoloVariant> &Variants, unsigned Tried) {
    measureVariants(Variants, Effort::Full);
    for (size_t I = 0; I < Variants.size(); ++I)
      What().Constituents[I].Shapes[Variants[I].Shape].Counters = Variants[I].Counters;
    record(Level, Variants, Tried);
    std::vector<Schedule> Schedules = baselines(launches(Variants), " " + nameOf(Level).str());
    const std::vector<RunOutcome> Outcomes = Gpus->run(Schedules);
    for (size_t I = 0; I < Schedules.size(); ++I) {
      Answer.Result.Baselines.push_back({Schedules[I].How, Level, withOutcome({}, Outcomes[I]), {}});
      Launched.push_back(std::move(Schedules[I]));
    }
    const RunOutcome &Serial = Outcomes.front();
    if (Serial.Status == RunStatus::Done)
      return llvm::Error::success();
    return badInput(fmt::format("the kernels, {}, do not run as they should: {}", phraseOf(Level), Serial.What),
                    Level == SoloLevel::Given ? "correct the workload, or the kernels"
                                              : "allow only launch shapes with the same results, or state a tolerance");
  }

  /// The third level: arguments fixed at compile time and outer loops unrolled.
  llvm::Error bindAlone() {
    if (!Gpus->hasGpu())
      return llvm::Error::success();
    std::vector<SoloVariant> Bound = Best;
    unsigned Tried = 0;
    bool Better = false;
    for (size_t I = 0; I < Kernels.size(); ++I) {
      std::vector<SoloVariant> Variants;
      for (const bool Bind : {true, false})
        for (const unsigned Unroll : {0u, 2u, 4u, 8u}) {
          if ((Bind && Bindable[I].empty()) || (!Bind && Unroll == 0))
            continue;
          auto Variant = variantAlone(I, Bind, Unroll);
          if (!Variant)
            return Variant.takeError();
          if (*Variant)
            Variants.push_back(std::move(**Variant));
        }
      measureVariants(Variants);
      Tried = std::max<unsigned>(Tried, Variants.size());
      // Between equals, a bound one: it issues fewer instructions, and what it leaves free another kernel can use.
      const SoloVariant *Fastest = fastest(Variants);
      std::vector<SoloVariant> AsGood;
      llvm::copy_if(Variants, std::back_inserter(AsGood), [&](const SoloVariant &V) {
        return Fastest && V.Bound && V.Result.Microseconds <= AboutEqual * Fastest->Result.Microseconds;
      });
      if (const SoloVariant *Other = fastest(AsGood))
        Fastest = Other;
      if (!Fastest || Fastest->Result.Microseconds > AboutEqual * Best[I].Result.Microseconds)
        continue;
      Bound[I] = *Fastest;
      Better = true;
      ConstituentProblem &Constituent = What().Constituents[I];
      if (Fastest->Bound)
        Constituent.Bound = Bindable[I];
      if (Fastest->Unroll)
        Constituent.Unrolls = {Fastest->Unroll, 0};
    }
    if (!Better)
      return llvm::Error::success();
    if (llvm::Error Error = settle(SoloLevel::Bound, Bound, Tried))
      return Error;
    for (size_t I = 0; I < Bound.size(); ++I) {
      SoloShape &Shape = What().Constituents[I].Shapes[Bound[I].Shape];
      Shape.Microseconds = Bound[I].Result.Microseconds;
      Shape.RelativeNoise = Bound[I].Result.RelativeNoise;
      Shape.Resources = Bound[I].Resources;
    }
    Best = Bound;
    return llvm::Error::success();
  }

  FusionConfig configAlone(size_t I, const SoloVariant &Variant) const {
    FusionConfig Config;
    Config.Constituents = {{.Block = Packed[I][Variant.Shape].Block,
                            .Unroll = Variant.Unroll,
                            .Bound = Variant.Bound ? Bindable[I] : decltype(ConstituentConfig::Bound)()}};
    return Config;
  }

  EmitOptions emitAlone(size_t I) const {
    EmitOptions Emit;
    Emit.Name = Request.Name + "_" + Work.Kernels[I].Name;
    const std::string Stem = llvm::sys::path::filename(Request.Output).drop_back(3).str() + "." + Work.Kernels[I].Name;
    Emit.SourceFile = Stem + ".cu";
    Emit.HeaderFile = Stem + ".h";
    Emit.Command = Request.Command;
    return Emit;
  }

  /// A kernel alone as cufuse emits it; nothing where the kernel has no such variant.
  llvm::Expected<std::optional<SoloVariant>> variantAlone(size_t I, bool Bind, unsigned Unroll) {
    SoloVariant Variant = Best[I];
    Variant.Bound = Bind;
    Variant.Unroll = Unroll;
    const EmitOptions Emit = emitAlone(I);
    Fuser Single(Tools, llvm::ArrayRef(Kernels).slice(I, 1), Emit);
    auto Plan = Single.plan(configAlone(I, Variant));
    if (!Plan) {
      llvm::consumeError(Plan.takeError());
      return std::nullopt;
    }
    auto Text = Single.emit(*Plan);
    if (!Text)
      return Text.takeError();
    CompileJob Job;
    Job.Files = {{Emit.SourceFile, Text->Source}, {Emit.HeaderFile, Text->Header}};
    Job.Arch = What().Gpu.Arch;
    Job.Flags = nvccFlags(Single);
    auto Compiled = Back.compile(Job);
    if (!Compiled)
      return Compiled.takeError();
    const KernelFacts *Facts = &Kernels[I].Facts;
    PackedKernel Kernel = Packed[I][Variant.Shape];
    Kernel.Launch.Grid = Variant.Launch.Grid;
    auto Launch = launchOf(Facts, *Plan, Emit.Name, Kernel.Launch, 1, What().Gpu.Multiprocessors);
    if (!Launch)
      return Launch.takeError();
    auto Packed = launchFused(*Launch, Facts, Kernel, Compiled->Cubin);
    if (!Packed)
      return Packed.takeError();
    Variant.Launch = std::move(*Packed);
    for (const auto &[Name, Use] : Compiled->Resources)
      if (llvm::StringRef(Name).starts_with(Launch->Kernel))
        Variant.Resources = Use;
    return Variant;
  }

  llvm::Error search() {
    auto How = makeStrategy(Request.Strategy, Request.Seed);
    if (!How)
      return How.takeError();
    auto Holds = key();
    if (!Holds)
      return Holds.takeError();
    Key = std::move(*Holds);
    Trace Record;
    if (!Request.Trace.empty()) {
      auto Opened = Trace::open(Request.Trace, Key.str(), toJSON(What()));
      if (!Opened)
        return Opened.takeError();
      Record = std::move(*Opened);
    }
    EvaluatorOptions Options{What().Gpu.Arch, Request.Jobs, ShortStop};
    FuseEvaluator World(*Fuse, What(), Packed, Back, *Gpus, std::move(Options));
    std::vector<Candidate> Candidates = (*How)->candidates(What());
    Answer.Result.SpaceSize = Candidates.size();
    const double Start = Seams.Now();
    Search Looking(What(), std::move(Candidates), World, Record, Request.Limit, Seams);
    if (Gpus->hasGpu()) {
      (*How)->run(Looking);
    } else {
      std::vector<size_t> All(Looking.candidates().size());
      std::iota(All.begin(), All.end(), 0);
      Looking.screen(All);
    }
    Answer.Result.Interrupted = Seams.Interrupted();
    if (const double Took = Seams.Now() - Start; Took > 0)
      Answer.Result.BusyShare = std::min(1.0, World.busySeconds() / Took);
    Answer.Result.Tried = Record.entries();
    if (llvm::Error Error = Record.close())
      return Error;
    return confirm(World);
  }

  /// The best of many measurements is partly luck: the winner and what it has to beat are measured once more.
  llvm::Error confirm(const FuseEvaluator &World) {
    Answer.Verdict = summarize(Answer.Result);
    const std::optional<Ranked> Winner = Answer.Verdict.Winner;
    if (!Gpus->hasGpu() || !Winner)
      return llvm::Error::success();
    const KernelLaunch *Launch = World.launchOf(Winner->Which);
    if (!Launch) // It comes from an earlier sitting.
      return llvm::Error::success();
    std::vector<Schedule> Again;
    size_t Strongest = 0;
    for (size_t I = 0; I < Answer.Result.Baselines.size(); ++I)
      if (const Evaluation &One = Answer.Result.Baselines[I].Result;
          One.Outcome == Fate::Measured && One.Microseconds < Answer.Result.Baselines[Strongest].Result.Microseconds)
        Strongest = I;
    Schedule Fused{Winner->Which.key(), Schedule::Serial, {*Launch}};
    Fused.Counters = true;
    Again = {Launched[Strongest], Fused};
    const std::vector<RunOutcome> Outcomes = Gpus->run(std::move(Again));
    BaselineResult &Baseline = Answer.Result.Baselines[Strongest];
    Baseline.Result = withOutcome(Baseline.Result, Outcomes[0]);
    TraceEntry Entry;
    Entry.Tried = Winner->Which;
    Entry.Measured = Effort::Full;
    Entry.Result = withOutcome(Winner->Result, Outcomes[1]);
    Entry.At = Answer.Result.Tried.empty() ? 0 : Answer.Result.Tried.back().At;
    Answer.Result.Tried.push_back(std::move(Entry));
    Answer.Result.Profiles.push_back({Winner->Which.key(), Outcomes[1].Counters});
    Answer.Verdict = summarize(Answer.Result);
    return llvm::Error::success();
  }

  /// What the results hold for.
  llvm::Expected<TuningKey> key() const {
    TuningKey Key;
    std::vector<std::string> Sources, Flags, Sizes;
    for (size_t I = 0; I < Kernels.size(); ++I) {
      Sources.push_back(Kernels[I].Spec.Kernel);
      for (const std::string &File : Kernels[I].Text.Dependencies) {
        auto Text = llvm::MemoryBuffer::getFile(File);
        if (!Text)
          return badInput(fmt::format("cannot read '{}': {}", File, Text.getError().message()));
        Sources.push_back((*Text)->getBuffer().str());
      }
      Flags.insert(Flags.end(), Kernels[I].Flags.Nvcc.begin(), Kernels[I].Flags.Nvcc.end());
    }
    Flags.push_back(What().Gpu.Arch);
    for (const std::string &File : Request.Workloads) {
      auto Text = llvm::MemoryBuffer::getFile(File);
      if (!Text)
        return badInput(fmt::format("cannot read '{}': {}", File, Text.getError().message()));
      Sizes.push_back((*Text)->getBuffer().str());
    }
    Sizes.insert(Sizes.end(), Request.Settings.begin(), Request.Settings.end());
    return TuningKey{contentHash(Sources), contentHash(Flags), What().Gpu.Name, What().Gpu.Driver, contentHash(Sizes)};
  }

  llvm::Error keep() const {
    if (Request.Database.empty() || Answer.Result.Modelled)
      return llvm::Error::success();
    auto Database = TuningDatabase::open(Request.Database);
    if (!Database)
      return Database.takeError();
    return Database->store(Key, Answer.Result);
  }

  /// The source of what is recommended.
  llvm::Error write() {
    if (Answer.Verdict.What == Advice::TuneAlone && Request.EmitSolo) {
      for (size_t I = 0; I < Kernels.size(); ++I) {
        if (!Best[I].Bound && !Best[I].Unroll)
          continue;
        const EmitOptions Emit = emitAlone(I);
        Fuser Single(Tools, llvm::ArrayRef(Kernels).slice(I, 1), Emit);
        if (llvm::Error Error = add(Single, configAlone(I, Best[I]), Emit))
          return Error;
      }
      return llvm::Error::success();
    }
    const bool Wanted = Answer.Verdict.What == Advice::Fuse || Answer.Result.Modelled;
    if (!Wanted || !Answer.Verdict.Winner)
      return llvm::Error::success();
    return add(*Fuse, Answer.Verdict.Winner->Which.Config, FusedEmit);
  }

  llvm::Error add(Fuser &One, const FusionConfig &Config, const EmitOptions &Emit) {
    auto Plan = One.plan(Config);
    if (!Plan)
      return Plan.takeError();
    auto Text = One.emit(*Plan);
    if (!Text)
      return Text.takeError();
    if (llvm::Error Error = One.verify(*Text, *Plan))
      return Error;
    const std::string Folder = llvm::sys::path::parent_path(Request.Output).str();
    auto Within = [&](const std::string &Name) {
      llvm::SmallString<128> Path(Folder);
      llvm::sys::path::append(Path, Name);
      return std::string(Path);
    };
    Answer.Files.push_back({Within(Emit.SourceFile), std::move(Text->Source)});
    Answer.Files.push_back({Within(Emit.HeaderFile), std::move(Text->Header)});
    return llvm::Error::success();
  }

  struct CompiledAlone {
    std::string Cubin, Entry;
    ResourceUse Resources;
  };

  Problem &What() { return Answer.Result.What; }
  const Problem &What() const { return Answer.Result.What; }

  const Toolchain &Tools;
  const TuneRequest &Request;
  const SearchSeams &Seams;
  NvccCompiler Back;
  const Stopping ShortStop{.RelativeNoise = 0.02, .MinSamples = 5, .MaxSamples = 12, .MaxSeconds = 0.2};
  TuneAnswer Answer;
  std::vector<DeviceInfo> Devices;
  Workload Work;
  std::vector<LoadedKernel> Kernels;
  EmitOptions FusedEmit;
  std::optional<Fuser> Fuse;
  PackedShapes Packed;
  std::vector<std::vector<std::pair<std::string, std::string>>> Bindable; ///< By constituent: values of arguments.
  std::vector<CompiledAlone> Alone;
  std::vector<SoloVariant> Best;  ///< By constituent: the fastest so far.
  std::vector<Schedule> Launched; ///< By position those of `TuneResult::Baselines`.
  std::optional<RunnerPool> Gpus;
  TuningKey Key; ///< Of the sources and the workload as they were when the search began.
};

} // namespace

llvm::Expected<TuneAnswer> tune(const Toolchain &Tools, const TuneRequest &Request, const SearchSeams &Seams) {
  return Tuning(Tools, Request, Seams).run();
}

} // namespace cufuse
