#include "cufuse/Driver/Tune.h"

#include "GraphEvaluator.h"
#include "SoloTuning.h"
#include "TuneFiles.h"
#include "cufuse/Driver/FromDatabase.h"
#include "cufuse/Profile/Metrics.h"
#include "cufuse/Tune/Json.h"
#include "cufuse/Tune/TuningDatabase.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#include <ctime>
#include <future>
#include <numeric>
#include <set>

namespace cufuse {

namespace {

/// Counts what the compilers do.
class CountedCompiler final : public Compiler {
public:
  CountedCompiler(Compiler &Back, BusyClock &Busy) : Back(Back), Busy(Busy) {}
  llvm::Expected<CompiledKernels> compile(const CompileJob &Job) override {
    const BusyClock::Work Working(Busy);
    return Back.compile(Job);
  }
  void prepare(llvm::ArrayRef<const CompileJob *> Jobs) override {
    const BusyClock::Work Working(Busy);
    Back.prepare(Jobs);
  }

private:
  Compiler &Back;
  BusyClock &Busy;
};

/// Fewer compilations at once get as much longer, to try as many candidates.
double secondsOfAuto(unsigned Compilations) { return 15 * std::max(1.0, 16.0 / Compilations); }

class Tuning {
public:
  Tuning(const Toolchain &Tools, const TuneRequest &Request, const SearchSeams &Seams)
      : Tools(Tools), Request(Request), Seams(Seams), Nvcc(Tools.Nvcc, Request.CacheFolder), Back(Nvcc, Busy),
        Pool(llvm::hardware_concurrency(Request.Jobs)) {}

  llvm::Expected<TuneAnswer> run() {
    Start = Seams.Now();
    Answer.Result.Command = Request.Command;
    Answer.Result.Version = Request.Version;
    Answer.Result.Started = startedNow();
    Answer.Result.Strategy = Request.Strategy;
    Answer.Result.RequiredSpeedup = Request.RequiredSpeedup;
    constexpr std::pair<const char *, llvm::Error (Tuning::*)()> Steps[] = {
        {"finding GPUs", &Tuning::findGpu}, {"reading the workload", &Tuning::readWork},
        {"parsing", &Tuning::load},         {"tuning the kernels alone", &Tuning::tuneAlone},
        {"searching", &Tuning::search},     {"confirming", &Tuning::confirm},
        {"writing", &Tuning::write}};
    for (const auto &[Name, Do] : Steps) {
      const double Began = Seams.Now(), BusyBefore = Busy.seconds();
      if (llvm::Error Error = (this->*Do)())
        return std::move(Error);
      Answer.Result.Steps.push_back({Name, Seams.Now() - Began, Busy.seconds() - BusyBefore});
    }
    Answer.Result.Seconds = Seams.Now() - Start;
    if (Answer.Result.Seconds > 0)
      Answer.Result.BusyShare = std::min(1.0, Busy.seconds() / Answer.Result.Seconds);
    keep();
    Nvcc.prune();
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
    if (Request.WithoutGpu) {
      if (!Request.Devices.empty())
        return badUsage("--devices and --no-gpu exclude each other");
    } else if (auto Found = listDevices(Request.Runner)) {
      auto Chosen = chooseDevices(*Found, Request.Devices);
      if (!Chosen)
        return Chosen.takeError();
      Devices = std::move(*Chosen);
    } else if (!Request.Devices.empty()) {
      return Found.takeError();
    } else {
      Answer.Result.Notes.push_back("Nothing was measured: " + llvm::toString(Found.takeError()) +
                                    ". The candidates are ranked by the model after ptxas.");
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

  /// The runners begin to make the buffers, and the compilers what is to run alone.
  llvm::Error readWork() {
    auto Texts = textsHash(Request.Workloads);
    if (!Texts)
      return Texts.takeError();
    WorkloadTexts = std::move(*Texts);
    auto Read = readWorkload(Request.Workloads, Request.Settings);
    if (!Read)
      return Read.takeError();
    Subject.Work = std::move(*Read);
    Subject.MayUnroll = !Request.WithoutUnrolling;
    if (Request.WithoutBinding)
      for (WorkloadKernel &Kernel : Subject.Work.Kernels)
        Kernel.Bindable.clear();
    if (isGraph())
      if (llvm::Error Error = requireGraphRequest())
        return Error;
    RunnerJob Job = runnerJob(Subject.Work, {});
    Job.Metrics = metric::twoPasses();
    for (const std::string &Metric : metric::demands())
      if (!llvm::is_contained(Job.Metrics, Metric))
        Job.Metrics.push_back(Metric);
    std::vector<RunnerOptions> Runners;
    for (const DeviceInfo &Device : Devices)
      Runners.push_back({Request.Runner, Device.Index});
    Gpus.emplace(std::move(Runners), std::move(Job), Busy);
    Solo.emplace(Tools, Subject, Back, Pool, Answer.Result);
    Solo->beginCompiling();
    return llvm::Error::success();
  }

  bool isGraph() const { return !Subject.Work.Links.empty(); }

  llvm::Error requireGraphRequest() const {
    const char *const Remedy = "leave it out: this workload has links";
    if (Request.Strategy != "auto" && Request.Strategy != "exhaustive")
      return badUsage(fmt::format("--strategy {} is for kernels side by side", Request.Strategy), Remedy);
    if (!Request.Database.empty())
      return badUsage("--database keeps results of kernels side by side", Remedy);
    if (Request.EmitSolo)
      return badUsage("--emit-solo is for kernels side by side", Remedy);
    return llvm::Error::success();
  }

  /// Parses each file once for all candidates.
  llvm::Error load() {
    std::vector<KernelSpec> Specs;
    std::vector<InputFlags> Flags;
    for (const WorkloadKernel &Kernel : Subject.Work.Kernels) {
      Specs.push_back(Kernel.Spec);
      Flags.push_back({Kernel.Flags, "", What().Gpu.Arch, Kernel.Folder});
    }
    if (llvm::Error Error = parse(Specs, Flags))
      return Error;
    if (llvm::Error Error = checkFiles())
      return Error;
    // What is wrong with one kernel of a graph keeps it out of the others, and that is one of the choices.
    if (!isGraph() || llvm::any_of(Subject.Kernels, [](const LoadedKernel &K) { return K.Facts.IsTemplate; }))
      if (llvm::Error Error = checkAll(Subject.Kernels))
        return Error;
    const llvm::StringRef File = llvm::sys::path::filename(Request.Output);
    Subject.Emit.Name = Request.Name;
    Subject.Emit.SourceFile = File.str();
    Subject.Emit.HeaderFile = File.drop_back(3).str() + ".h";
    Subject.Emit.Command = Request.Command;
    Fuse.emplace(Tools, Subject.Kernels, Subject.Emit);
    if (llvm::Error Error = packShapes())
      return Error;
    if (isGraph()) {
      Groups.emplace(Tools, Subject);
      What().Graph = Groups->facts();
    }
    return llvm::Error::success();
  }

  /// Also takes the key: of the texts that were parsed. Files that change meanwhile are parsed again.
  llvm::Error parse(llvm::ArrayRef<KernelSpec> Specs, llvm::ArrayRef<InputFlags> Flags) {
    constexpr unsigned Most = 4;
    for (unsigned Attempt = 0; Attempt < Most; ++Attempt) {
      const FileTime Began = nextFileTime();
      auto Parsed = readKernels(Tools, Specs, Flags);
      if (!Parsed)
        return Parsed.takeError();
      Subject.Kernels = std::move(*Parsed);
      const std::string Before = Key.Sources;
      auto Now = key();
      if (!Now)
        return Now.takeError();
      Key = std::move(*Now);
      if (Key.Sources == Before || llvm::none_of(Subject.Kernels, [&](const LoadedKernel &Kernel) {
            return llvm::any_of(Kernel.Text.Dependencies,
                                [&](const std::string &File) { return changedSince(File, Began); });
          }))
        return llvm::Error::success();
    }
    return badInput("the kernels' files were changed while they were read", "run this again");
  }

  /// Before anything is measured for nothing.
  llvm::Error checkFiles() {
    if (llvm::Error Error = checkTuneFiles(Request, Subject))
      return Error;
    if (Request.Database.empty())
      return llvm::Error::success();
    auto Opened = TuningDatabase::open(Request.Database);
    if (!Opened)
      return Opened.takeError();
    Database.emplace(std::move(*Opened));
    return Database->checkWritable();
  }

  /// Every launch shape that the workload allows.
  llvm::Error packShapes() {
    for (size_t I = 0; I < Subject.Kernels.size(); ++I) {
      const WorkloadKernel &Kernel = Subject.Work.Kernels[I];
      ConstituentProblem Constituent;
      Constituent.Name = Kernel.Name;
      std::vector<PackedKernel> Shapes;
      for (const BlockShape &Block : blockChoices(Kernel.Blocks)) {
        if (const auto Most = Subject.Kernels[I].Facts.MaxThreads; Most && Block.threads() > *Most && !Shapes.empty())
          continue;
        auto One = packKernel(Subject.Kernels[I].Facts, Kernel, Subject.Work.Buffers, Block);
        if (!One)
          return One.takeError();
        Constituent.Shapes.push_back(shapeOf(*One));
        Shapes.push_back(std::move(*One));
      }
      if (!Kernel.Bindable.empty()) {
        auto Bound = boundArguments(Subject.Kernels[I].Facts, Kernel);
        if (!Bound)
          return Bound.takeError();
        Subject.Bindable.push_back(std::move(*Bound));
      } else {
        Subject.Bindable.emplace_back();
      }
      What().Constituents.push_back(std::move(Constituent));
      Subject.Packed.push_back(std::move(Shapes));
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

  llvm::Error tuneAlone() {
    if (llvm::Error Error = Solo->finishCompiling())
      return Error;
    if (!Gpus->hasGpu())
      return llvm::Error::success();
    Gpus->setReference(Solo->reference());
    return isGraph() ? Solo->measureAsGiven(*Gpus) : Solo->measure(*Gpus);
  }

  llvm::Error search() {
    // A graph's choices are few.
    if (isGraph())
      Answer.Result.Strategy = "exhaustive";
    auto How = makeStrategy(Answer.Result.Strategy, Request.Seed);
    if (!How)
      return How.takeError();
    Trace Record;
    if (!Request.Trace.empty()) {
      auto Opened = Trace::open(Request.Trace, Key.str(), toJSON(What()));
      if (!Opened)
        return Opened.takeError();
      Record = std::move(*Opened);
      if (!llvm::all_of(Record.entries(), [this](const TraceEntry &E) { return isOf(What(), E); }))
        return badInput(fmt::format("'{}' has an entry of other kernels than these", Request.Trace),
                        "name another file, or remove it to begin anew");
    }
    const EvaluatorOptions Options{What().Gpu.Arch, ShortStop};
    std::vector<Candidate> Candidates;
    if (isGraph()) {
      auto Own = std::make_unique<GraphEvaluator>(*Groups, What(), Subject.Emit, Solo->reference().Launches, Back, Pool,
                                                  *Gpus, Options);
      LaunchesOf = [&Graph = *Own](const Candidate &C) { return Graph.launchesOf(C); };
      World = std::move(Own);
      Candidates = enumerateGraphSpace(What(), [&](llvm::ArrayRef<unsigned> Group) { return Groups->ways(Group); });
    } else {
      auto Own = std::make_unique<FuseEvaluator>(*Fuse, What(), Subject.Packed, Back, Pool, *Gpus, Options);
      LaunchesOf = [&One = *Own](const Candidate &C) { return One.launchesOf(C); };
      World = std::move(Own);
      Candidates = (*How)->candidates(What());
    }
    Answer.Result.SpaceSize = Candidates.size();
    const bool IsLimited = Answer.Result.Strategy == "auto" && Gpus->hasGpu();
    const double Seconds = Request.Seconds.value_or(IsLimited ? secondsOfAuto(Pool.getMaxConcurrency()) : 0);
    const Budget Left{std::max(Seconds - (Seams.Now() - Start), Seconds / 2), Request.Measured};
    Search Looking(What(), std::move(Candidates), *World, Record, Left, Seams);
    if (Gpus->hasGpu()) {
      (*How)->run(Looking);
    } else {
      std::vector<size_t> All(Looking.candidates().size());
      std::iota(All.begin(), All.end(), 0);
      Looking.screen(All);
    }
    Answer.Result.Interrupted = Seams.Interrupted();
    constexpr size_t Enough = 8;
    Answer.Result.Starved =
        Looking.isOverTime() && Looking.measuredCount() < std::min(Enough, Looking.candidates().size());
    // What earlier runs tried with other options is none of these candidates.
    std::set<std::string> Those;
    for (const Candidate &C : Looking.candidates())
      Those.insert(C.key());
    for (const TraceEntry &E : Record.entries())
      if (Those.contains(E.Tried.key()))
        Answer.Result.Tried.push_back(E);
    return Record.close();
  }

  /// The best of many measurements is partly luck: the winner and what it has to beat are measured once more, the
  /// winner from the whole output, as a graph and with its counters, too. Should another be the winner then, it is that
  /// one's turn, if it still is when measured alone: where the clock fell during the search, all have seemed to be
  /// faster than they are. Meanwhile the source of the first is made.
  llvm::Error confirm() {
    Answer.Verdict = summarize(Answer.Result);
    const std::vector<BaselineResult> Before = Answer.Result.Baselines;
    std::map<std::string, std::vector<BaselineResult>> Against; // by candidate that is confirmed
    std::set<std::string> Repeated;
    while (Gpus->hasGpu() && Answer.Verdict.Winner && Answer.Result.Unconfirmed.empty()) {
      const Ranked Winner = *Answer.Verdict.Winner;
      const std::string Key = Winner.Which.key();
      if (const auto Confirmed = Against.find(Key); Confirmed != Against.end()) {
        Answer.Result.Baselines = Confirmed->second;
        Answer.Verdict = summarize(Answer.Result);
        break;
      }
      if (!Against.empty() && Repeated.insert(Key).second) {
        World->measure(OnlyThose(Winner.Which), Effort::Full, [&](size_t, const Evaluation &Result) {
          addMeasured(Winner.Which, Result);
          return true;
        });
      } else {
        const std::vector<KernelLaunch> Launches = LaunchesOf(Winner.Which);
        Answer.Result.Baselines = Before;
        if (Launches.empty())
          Answer.Result.Unconfirmed = fmt::format("the whole output of {} does not compile", Key);
        else if (llvm::Error Error = confirmOne(Winner, Launches))
          return Error;
        Against[Key] = Answer.Result.Baselines;
      }
      Answer.Verdict = summarize(Answer.Result);
    }
    return llvm::Error::success();
  }

  /// The baselines that may be the strongest. Where loops and graphs are on scales of their own, the best of each kind.
  std::vector<size_t> rivals() const {
    const std::vector<BaselineResult> &All = Answer.Result.Baselines;
    std::map<Schedule::Kind, size_t> Best;
    for (size_t I = 0; I < All.size(); ++I) {
      if (All[I].Result.Outcome != Fate::Measured)
        continue;
      const Schedule::Kind Kind = Solo->isOfSeveralPasses() ? All[I].How : Schedule::Serial;
      const auto [At, IsFirst] = Best.try_emplace(Kind, I);
      if (!IsFirst && All[I].Result.Microseconds < All[At->second].Result.Microseconds)
        At->second = I;
    }
    std::vector<size_t> Positions;
    for (const auto &[Kind, I] : Best)
      Positions.push_back(I);
    return Positions;
  }

  /// Times are compared only with those taken here: on one GPU, one after the other, and all scaled alike. A pass at a
  /// time is as long as the GPU's clock makes it, which the reference knows; what limits a loop, the host or the GPU,
  /// need not limit another, and none is scaled.
  llvm::Error confirmOne(const Ranked &Winner, const std::vector<KernelLaunch> &Launches) {
    Schedule Fused{Winner.Which.key(), Schedule::Serial, Launches};
    Fused.Counters = Launches.size() == 1;
    const std::vector<size_t> Rivals = rivals();
    std::vector<Schedule> Again;
    for (const size_t I : Rivals)
      Again.push_back(Solo->launched()[I]);
    Again.push_back(Fused);
    // Launches that depend on each other are no parallel branches.
    if (Launches.size() == 1)
      Again.push_back({Winner.Which.key() + " in a graph", Schedule::Graph, Launches});
    const Schedule::Kind Last = Again.back().How;
    auto Running = std::async(std::launch::async, [&] { return Gpus->runTogether(std::move(Again)); });
    llvm::Error Failed = llvm::Error::success();
    if (Answer.Verdict.What == Advice::Fuse && DraftKey.empty())
      Failed = draftWinner();
    std::vector<RunOutcome> Outcomes = Running.get();
    if (Failed)
      return Failed;
    const RunOutcome OnScale = Gpus->onScale(Last, Outcomes.back());
    const double Scale = Outcomes.front().Time ? Outcomes.front().Time->ReferenceMicroseconds : 0;
    for (RunOutcome &One : Outcomes)
      if (One.Time && One.Time->Passes == 1 && Scale > 0 && One.Time->ReferenceMicroseconds > 0)
        One.Time->Microseconds *= Scale / One.Time->ReferenceMicroseconds;
    for (size_t I = 0; I < Rivals.size(); ++I) {
      BaselineResult &Baseline = Answer.Result.Baselines[Rivals[I]];
      Baseline.Result = withOutcome(Baseline.Result, Outcomes[I]);
      Baseline.Confirmed = true;
      if (Outcomes[I].Status != RunStatus::Done)
        Answer.Result.Unconfirmed =
            fmt::format("what it has to beat ({}) fails now: {}", Outcomes[I].Name, Outcomes[I].What);
    }
    const RunOutcome &Loop = Outcomes[Rivals.size()];
    // The launches given, in turn with loops of the winner's.
    if (Loop.Time && Loop.Time->Passes > 1) {
      Answer.Result.Baselines.front().Result.Microseconds = Loop.Time->ReferenceMicroseconds;
      Answer.Result.Baselines.front().Confirmed = true;
    }
    CandidateProfile &Profile = Answer.Result.Profiles.emplace_back();
    Profile.Key = Winner.Which.key();
    Profile.Counters = Loop.Counters;
    Profile.Launched = withOutcome(Winner.Result, Loop);
    if (Launches.size() == 1)
      Profile.InGraph = withOutcome(Winner.Result, Outcomes.back());
    addMeasured(Winner.Which, withOutcome(Winner.Result, OnScale));
    return llvm::Error::success();
  }

  void addMeasured(const Candidate &Which, const Evaluation &Result) {
    std::vector<TraceEntry> &Tried = Answer.Result.Tried;
    const double At = Tried.empty() ? 0 : Tried.back().At;
    Tried.push_back({Which, Effort::Full, Result, 0, At});
  }

  /// What the results hold for.
  llvm::Expected<TuningKey> key() {
    auto Sources = sourcesHash(Subject.Kernels);
    if (!Sources)
      return Sources.takeError();
    auto Workload = workloadHash(Request.Workloads, Request.Settings, Subject.Work, WorkloadTexts);
    if (!Workload)
      return Workload.takeError();
    return TuningKey{*Sources,  flagsHash(Subject.Kernels),      What().Gpu.Name, What().Gpu.Driver,
                     *Workload, toolsHash(Nvcc, Request.Version)};
  }

  void keep() {
    if (!Database || Answer.Result.Modelled)
      return;
    auto Note = [&](const std::string &Why) {
      Answer.Result.Notes.push_back(fmt::format("The result is not in '{}': {}.", Request.Database, Why));
    };
    if (Answer.Verdict.What == Advice::Undecided || Answer.Verdict.What == Advice::Unknown)
      return Note("nothing is decided");
    if (Answer.Result.Interrupted)
      return Note("the search was interrupted");
    // The compiler and the runners have read them since they were parsed.
    auto Now = key();
    if (!Now)
      return Note(textOf(Now.takeError()));
    if (Now->str() != Key.str())
      return Note("a source, a header, the workload or a data file was changed meanwhile");
    if (llvm::Error Error = Database->store(Key, Answer.Result))
      Note(textOf(std::move(Error)));
  }

  /// The source of what is recommended.
  llvm::Error write() {
    if (Answer.Verdict.What == Advice::TuneAlone && Request.EmitSolo) {
      for (size_t I = 0; I < Subject.Kernels.size(); ++I) {
        if (!Solo->isRewritten(I))
          continue;
        Fuser Single(Tools, llvm::ArrayRef(Subject.Kernels).slice(I, 1), Subject.emitAlone(I));
        if (llvm::Error Error = add(Single, Solo->bestConfig(I), Answer.Files))
          return Error;
      }
      return llvm::Error::success();
    }
    const bool Wanted = Answer.Verdict.What == Advice::Fuse || Answer.Result.Modelled;
    if (!Wanted || !Answer.Verdict.Winner)
      return llvm::Error::success();
    if (DraftKey != Answer.Verdict.Winner->Which.key())
      if (llvm::Error Error = draftWinner())
        return Error;
    Answer.Files = std::move(Draft);
    if (Answer.Verdict.Winner->Which.Groups.size() > 1)
      Answer.Result.Notes.push_back("Launch " + DraftOrder + ".");
    return llvm::Error::success();
  }

  llvm::Error draftWinner() {
    const Candidate &Winner = Answer.Verdict.Winner->Which;
    DraftKey = Winner.key();
    Draft.clear();
    return isGraph() ? draftGraph(Winner) : add(*Fuse, Winner.Config, Draft);
  }

  /// `OUT.cu` has the first fused launch, `OUT_2.cu` the next, in namespaces that are called in the same way.
  llvm::Error draftGraph(const Candidate &Winner) {
    std::string &Order = DraftOrder;
    Order.clear();
    unsigned Count = 0;
    for (const LaunchGroup &Group : Winner.Groups) {
      if (!Group.isFused()) {
        Order += (Order.empty() ? "" : ", then ") + Group.str();
        continue;
      }
      EmitOptions Emit = Subject.Emit;
      if (++Count > 1) {
        Emit.Name += fmt::format("_{}", Count);
        const std::string Stem = llvm::sys::path::stem(Emit.SourceFile).str();
        Emit.SourceFile = fmt::format("{}_{}.cu", Stem, Count);
        Emit.HeaderFile = fmt::format("{}_{}.h", Stem, Count);
      }
      Order += fmt::format("{}{} in {}", Order.empty() ? "" : ", then ", Group.str(), Emit.SourceFile);
      auto Fused = Groups->fuse(membersOf(What(), Group), Group, Emit);
      if (!Fused)
        return Fused.takeError();
      if (llvm::Error Error = Fused->Text->verify(Fused->Source, Fused->Plan))
        return Error;
      addFiles(Emit, std::move(Fused->Source), Draft);
    }
    return llvm::Error::success();
  }

  llvm::Error add(Fuser &One, const FusionConfig &Config, std::vector<OutputFile> &Files) const {
    auto Text = One.source(Config);
    if (!Text)
      return Text.takeError();
    addFiles(One.options(), std::move(*Text), Files);
    return llvm::Error::success();
  }

  void addFiles(const EmitOptions &Emit, FusedSource Text, std::vector<OutputFile> &Files) const {
    auto Beside = [&](const std::string &Name) {
      llvm::SmallString<128> Path(llvm::sys::path::parent_path(Request.Output));
      llvm::sys::path::append(Path, Name);
      return std::string(Path);
    };
    Files.push_back({Beside(Emit.SourceFile), std::move(Text.Source)});
    Files.push_back({Beside(Emit.HeaderFile), std::move(Text.Header)});
  }

  Problem &What() { return Answer.Result.What; }
  const Problem &What() const { return Answer.Result.What; }

  const Toolchain &Tools;
  const TuneRequest &Request;
  const SearchSeams &Seams;
  double Start = 0;
  BusyClock Busy; ///< Of compilers and GPUs.
  NvccCompiler Nvcc;
  CountedCompiler Back;
  TuneAnswer Answer;
  std::vector<DeviceInfo> Devices;
  TuningSubject Subject;
  std::optional<Fuser> Fuse;
  std::string WorkloadTexts; ///< Their hash, from before they were read.
  TuningKey Key;             ///< Of the sources as they were parsed.
  std::optional<TuningDatabase> Database;
  std::vector<OutputFile> Draft; ///< Of the candidate with this key.
  std::string DraftKey;
  std::string DraftOrder;       ///< Of a graph: which launch is in which file.
  llvm::DefaultThreadPool Pool; ///< For the compilers.
  // Those that end before the pool does.
  std::optional<RunnerPool> Gpus;
  std::optional<SoloTuning> Solo;
  std::optional<GroupFuser> Groups;
  std::unique_ptr<Evaluator> World;
  std::function<std::vector<KernelLaunch>(const Candidate &)> LaunchesOf; ///< None: it cannot be run.
};

} // namespace

llvm::Expected<TuneAnswer> tune(const Toolchain &Tools, const TuneRequest &Request, const SearchSeams &Seams) {
  return Tuning(Tools, Request, Seams).run();
}

} // namespace cufuse
