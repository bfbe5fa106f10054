#include "cufuse/Tuning/Tune.h"

#include "GroupFuser.h"
#include "TuningKind.h"
#include "cufuse/Driver/FromDatabase.h"
#include "cufuse/Gpu/Metrics.h"
#include "cufuse/Search/Json.h"
#include "cufuse/Search/Space.h"
#include "cufuse/Search/TuningDatabase.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/Support/Chrono.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/Path.h>

#include <ctime>
#include <map>
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

/// Times the steps of a tuning, one after the other.
class StepClock {
public:
  StepClock(const SearchSeams &Seams, const BusyClock &Busy) : Seams(Seams), Busy(Busy), Start(Seams.Now()) {}
  double seconds() const { return Seams.Now() - Start; }
  void begin(const char *Name) {
    endLast();
    Steps.push_back({Name, seconds(), Busy.seconds()});
  }
  std::vector<StepTime> end() {
    endLast();
    return std::move(Steps);
  }

private:
  void endLast() {
    if (Steps.empty())
      return;
    StepTime &Last = Steps.back();
    Last.Seconds = seconds() - Last.Seconds;
    Last.Busy = Busy.seconds() - Last.Busy;
  }

  const SearchSeams &Seams;
  const BusyClock &Busy;
  const double Start;
  std::vector<StepTime> Steps; ///< All but the last have ended.
};

/// Fewer compilations at once get as much longer, to try as many candidates.
double secondsOfAuto(unsigned Compilations) { return 15 * std::max(1.0, 16.0 / Compilations); }

TuneResult resultFor(const TuneRequest &Request) {
  TuneResult Result;
  Result.Command = Request.Command;
  Result.Version = Request.Version;
  Result.Started = llvm::formatv("{0:%Y-%m-%dT%H:%M:%SZ}", llvm::sys::toUtcTime(std::time(nullptr))).str();
  Result.RequiredSpeedup = Request.RequiredSpeedup;
  return Result;
}

struct FoundGpus {
  std::vector<DeviceInfo> Devices; ///< None: candidates are ranked by the model.
  GpuFacts Facts;
  std::string WhyNone; ///< Where one is needed.
};

llvm::Expected<FoundGpus> findGpus(const TuneRequest &Request) {
  FoundGpus Gpus;
  if (Request.WithoutGpu) {
    if (!Request.Devices.empty())
      return badUsage("--devices and --no-gpu exclude each other");
  } else {
    auto Found = TRY(listDevices(Request.Runner, &Gpus.WhyNone));
    if (!Found.empty())
      Gpus.Devices = TRY(chooseDevices(Found, Request.Devices));
  }
  Gpus.Facts.Arch = Request.Arch;
  if (Gpus.Devices.empty()) {
    if (Gpus.Facts.Arch.empty())
      Gpus.Facts.Arch = "sm_90a";
    return Gpus;
  }
  const DeviceInfo &First = Gpus.Devices.front();
  Gpus.Facts.Name = First.Name;
  Gpus.Facts.Driver = fmt::format("{}.{}", First.Driver / 1000, First.Driver % 1000 / 10);
  Gpus.Facts.Multiprocessors = First.Multiprocessors;
  Gpus.Facts.DramBytesPerMicrosecond = First.DramBytesPerSecond / 1e6;
  // Budgets of registers and much else are for the `a` targets only.
  if (Gpus.Facts.Arch.empty())
    Gpus.Facts.Arch = First.Arch + (First.Arch >= "sm_90" || First.Arch.size() > 5 ? "a" : "");
  return Gpus;
}

llvm::Error checkLinkedRequest(const TuneRequest &Request) {
  const char *const Remedy = "leave it out: this workload has links";
  if (Request.Strategy != "auto" && Request.Strategy != "exhaustive")
    return badUsage(fmt::format("--strategy {} is for kernels side by side", Request.Strategy), Remedy);
  if (!Request.Database.empty())
    return badUsage("--database keeps results of kernels side by side", Remedy);
  if (Request.EmitSolo)
    return badUsage("--emit-solo is for kernels side by side", Remedy);
  return llvm::Error::success();
}

llvm::Expected<Workload> readWork(const TuneRequest &Request) {
  auto Read = TRY(readWorkload(Request.Workloads, Request.Settings));
  for (const std::string &File : dataFiles(Read))
    if (!llvm::json::isUTF8(File))
      return badInput(fmt::format("the data file '{}' has a name or a folder that is not UTF-8", File),
                      "the runner is told of it in JSON: move it to another folder");
  for (const WorkloadKernel &Kernel : Read.Kernels)
    if (Kernel.Product)
      return badInput("products of matrices are not measured yet", "write their kernel with `cufuse fuse FILE.yaml`",
                      Kernel.Where);
  if (!Read.Links.empty())
    TRY(checkLinkedRequest(Request));
  else if (Request.List)
    return badUsage("--set has a list of sizes, and these kernels are side by side", "tune one size after the other");
  return Read;
}

/// The job of the runners, but for its schedules.
RunnerJob buffersOf(const Workload &Work) {
  RunnerJob Job = runnerJob(Work, {});
  Job.Metrics = metric::twoPasses();
  for (const std::string &Metric : metric::demands())
    if (!llvm::is_contained(Job.Metrics, Metric))
      Job.Metrics.push_back(Metric);
  return Job;
}

std::vector<RunnerOptions> runnersOf(const TuneRequest &Request, llvm::ArrayRef<DeviceInfo> Devices) {
  std::vector<RunnerOptions> Runners;
  for (const DeviceInfo &Device : Devices)
    Runners.push_back({Request.Runner, Device.Index});
  return Runners;
}

/// What the results hold for: the GPU, the tools, and the texts as they are now, those of the workload with this hash.
struct KeyParts {
  const TuneRequest &Request;
  const GpuFacts &Gpu;
  NvccCompiler &Nvcc;
  std::string WorkloadTexts;

  llvm::Expected<TuningKey> read(const Workload &Work, llvm::ArrayRef<LoadedKernel> Kernels) const {
    auto Sources = TRY(sourcesHash(Kernels));
    auto Texts = TRY(workloadHash(Request.Workloads, Work, WorkloadTexts));
    return TuningKey{Sources, flagsHash(Kernels), Gpu.Name, Gpu.Driver, Texts, toolsHash(Nvcc, Request.Version)};
  }
};

struct ParsedKernels {
  std::vector<LoadedKernel> Kernels;
  TuningKey Key; ///< Of the texts that were parsed.
};

/// How files look, by path. No clock says whether they change: that of who keeps them may be another than ours.
class FileLooks {
public:
  void remember(llvm::ArrayRef<std::string> Files) {
    for (const std::string &File : Files)
      Looks.try_emplace(File, lookOf(File));
  }
  bool areSame() const {
    return llvm::all_of(Looks, [](const auto &Known) { return lookOf(Known.first) == Known.second; });
  }

private:
  std::map<std::string, std::string> Looks;
};

/// Each file once for all candidates. Files that change meanwhile are parsed again.
llvm::Expected<ParsedKernels> parseKernels(const Toolchain &Tools, const Workload &Work, const KeyParts &Parts) {
  std::vector<KernelSpec> Specs;
  std::vector<InputFlags> Flags;
  for (const WorkloadKernel &Kernel : Work.Kernels) {
    Specs.push_back(Kernel.Spec);
    Flags.push_back({Kernel.Flags, "", Parts.Gpu.Arch, Kernel.Folder});
  }
  std::string Before;
  constexpr unsigned Most = 4;
  for (unsigned Attempt = 0; Attempt < Most; ++Attempt) {
    const FileTime Began = Parts.Request.Cache->now();
    auto Kernels = TRY(readKernels(Tools, Specs, Flags));
    auto Key = TRY(Parts.read(Work, Kernels));
    auto HasChanged = [&](const std::string &File) { return changedSince(File, Began); };
    if (Key.Sources == Before || llvm::none_of(Kernels, [&](const LoadedKernel &Kernel) {
          return llvm::any_of(Kernel.Text.Dependencies, HasChanged);
        }))
      return ParsedKernels{std::move(Kernels), std::move(Key)};
    Before = Key.Sources;
  }
  return badInput("the kernels' files were changed while they were read", "run this again");
}

/// Packs every launch shape that the workload allows.
llvm::Error packShapes(TuningSubject &Subject, bool WithoutBinding) {
  for (size_t I = 0; I < Subject.Kernels.size(); ++I) {
    const WorkloadKernel &Kernel = Subject.Work.Kernels[I];
    const KernelFacts &Facts = Subject.Kernels[I].Facts;
    std::vector<PackedKernel> &Shapes = Subject.Packed.emplace_back();
    for (const BlockShape &Block : blockChoices(Kernel.Blocks)) {
      if (Facts.MaxThreads && Block.threads() > *Facts.MaxThreads && !Shapes.empty())
        continue;
      Shapes.push_back(TRY(packKernel(Facts, Kernel, Subject.Work.Buffers, Block)));
    }
    auto &Bindable = Subject.Bindable.emplace_back();
    if (Kernel.Bindable.empty() || WithoutBinding)
      continue;
    Bindable = TRY(boundArguments(Facts, Kernel));
  }
  return llvm::Error::success();
}

llvm::Expected<TuningSubject> subjectOf(const TuneRequest &Request, Workload Work, std::vector<LoadedKernel> Kernels) {
  TuningSubject Subject;
  Subject.Work = std::move(Work);
  Subject.Kernels = std::move(Kernels);
  Subject.MayUnroll = !Request.WithoutUnrolling;
  const llvm::StringRef File = llvm::sys::path::filename(Request.Output);
  Subject.Emit.Name = Request.Name;
  Subject.Emit.SourceFile = File.str();
  Subject.Emit.HeaderFile = File.drop_back(3).str() + ".h";
  Subject.Emit.Command = Request.Command;
  Subject.Emit.Apart = Request.List && Request.List->ApartBelow;
  // Before anything is measured for nothing.
  TRY(checkTuneFiles(Request, Subject));
  // What is wrong with one of linked kernels keeps it out of the others, and that is one of the choices.
  if (!Subject.isLinked() || llvm::any_of(Subject.Kernels, [](const LoadedKernel &K) { return K.Facts.IsTemplate; }))
    TRY(checkAll(Subject.Kernels));
  TRY(packShapes(Subject, Request.WithoutBinding));
  return Subject;
}

Problem problemOf(const TuningSubject &Subject, const GpuFacts &Gpu) {
  Problem What;
  What.Gpu = Gpu;
  if (Subject.isLinked())
    What.Graph = graphOf(Subject);
  for (const auto &[Kernel, Shapes] : llvm::zip(Subject.Work.Kernels, Subject.Packed)) {
    ConstituentProblem &Constituent = What.Constituents.emplace_back();
    Constituent.Name = Kernel.Name;
    What.Workload += (What.Workload.empty() ? "" : " + ") + Kernel.Name;
    for (const PackedKernel &Packed : Shapes) {
      const auto &Grid = Packed.Launch.Grid;
      SoloShape &Shape = Constituent.Shapes.emplace_back();
      Shape.Block = Packed.Block;
      Shape.Blocks = 1ull * Grid[0] * Grid[1] * Grid[2];
      Shape.DynamicBytes = Packed.Launch.DynamicBytes;
    }
  }
  return What;
}

/// Adds to the result, which has the problem, what a search among the candidates has tried. `Past`: seconds since the
/// tuning began.
llvm::Error search(const TuneRequest &Request, const SearchSeams &Seams, const TuningTools &Tools, const TuningKey &Key,
                   TuningKind &World, double Past, TuneResult &Result) {
  const Problem &What = Result.What;
  Result.Strategy = What.Graph ? "exhaustive" : Request.Strategy; // there are few choices of links
  auto How = TRY(makeStrategy(Result.Strategy, Request.Seed));
  Trace Record;
  if (!Request.Trace.empty()) {
    Record = TRY(Trace::open(Request.Trace, Key.str(), toJson(What)));
    if (!llvm::all_of(Record.entries(), [&](const TraceEntry &E) { return isOf(What, E); }))
      return badInput(fmt::format("'{}' has an entry of other kernels than these", Request.Trace),
                      "name another file, or remove it to begin anew");
  }
  std::vector<Candidate> Candidates = World.candidates(How);
  if (Request.List && !Request.List->Only.empty())
    llvm::erase_if(Candidates, [&](const Candidate &C) { return C.key() != Request.List->Only; });
  Result.SpaceSize = Candidates.size();
  if (!What.Graph && Result.Strategy != "hfuse" && isSpaceSampled(What))
    Result.Notes.push_back("There are too many ways to fuse so many kernels to list them: the candidates are some.");
  const bool HasGpu = Tools.Gpus.hasGpu(), IsLimited = Result.Strategy == "auto" && HasGpu;
  const double Seconds = Request.Seconds.value_or(IsLimited ? secondsOfAuto(Tools.Pool.getMaxConcurrency()) : 0);
  const Budget Left{std::max(Seconds - Past, Seconds / 2), Request.Measured};
  Search Looking(What, std::move(Candidates), World, Record, Left, Seams);
  if (HasGpu) {
    How.Run(Looking);
  } else {
    auto All = llvm::to_vector(llvm::seq(Looking.candidates().size()));
    if (Request.Measured > 0 && Request.Measured < All.size()) {
      llvm::stable_sort(All, [&](size_t A, size_t B) {
        return Looking.predicted(A).Microseconds < Looking.predicted(B).Microseconds;
      });
      All.resize(Request.Measured);
    }
    Looking.screen(All);
  }
  Result.Interrupted = Seams.Interrupted();
  const bool AnyLeft = llvm::any_of(llvm::seq(Looking.candidates().size()), [&](size_t I) {
    return !Looking.state(I).failed() && !Looking.state(I).isMeasured();
  });
  const auto Tried = static_cast<size_t>(llvm::count_if(llvm::seq(Looking.candidates().size()),
                                                        [&](size_t I) { return Looking.state(I).last() != nullptr; }));
  Result.Starved = AnyLeft && Looking.isSpent() &&
                   (Looking.measuredCount() < EnoughMeasured || Tried * EnoughShare < Looking.candidates().size());
  // What earlier runs tried with other options is none of these candidates.
  std::set<std::string> Those;
  for (const Candidate &C : Looking.candidates())
    Those.insert(C.key());
  for (const TraceEntry &E : Record.entries())
    if (Those.contains(E.Tried.key()))
      Result.Tried.push_back(E);
  if (llvm::Error Error = Record.close())
    Result.Notes.push_back(fmt::format("The trace has not all of this run: {}.", textOf(std::move(Error))));
  return llvm::Error::success();
}

/// The kernels alone, in the form that is best where that is another text than the user's.
llvm::Error writeAlone(const Toolchain &Tools, const TuningSubject &Subject, const SoloFindings &Found,
                       std::vector<OutputFile> &Files) {
  for (size_t I = 0; I < Subject.Kernels.size(); ++I) {
    if (!Found.Rewritten[I])
      continue;
    Fuser Single(Tools, llvm::ArrayRef(Subject.Kernels).slice(I, 1), Subject.emitAlone(I));
    llvm::append_range(Files, filesOf(Single.options(), TRY(Single.source(*Found.Rewritten[I]))));
  }
  return llvm::Error::success();
}

/// Why the files, which the compiler and the runners have read since they were parsed, are not those of the key; empty
/// where they are.
std::string changeSince(const ParsedKernels &Parsed, const KeyParts &Parts, const TuningSubject &Subject,
                        const FileLooks &Before) {
  auto Now = Parts.read(Subject.Work, Subject.Kernels);
  if (!Now)
    return textOf(Now.takeError());
  // An edit that was undone has been measured, too.
  return Now->str() == Parsed.Key.str() && Before.areSame()
             ? ""
             : "a source, a header, the workload or a data file was changed meanwhile";
}

bool isRestricted(const TuneRequest &Request, const TuningSubject &Subject) {
  return (Request.WithoutBinding &&
          llvm::any_of(Subject.Work.Kernels, [](const WorkloadKernel &K) { return !K.Bindable.empty(); })) ||
         (Request.WithoutUnrolling &&
          llvm::any_of(Subject.Kernels, [](const LoadedKernel &K) { return K.Facts.GridStrideLoop.has_value(); }));
}

/// Keeps what is decided for the usual speed-up, whatever was asked for now; what cannot be kept is a note.
void keep(TuningDatabase &Database, const std::string &Path, const TuningKey &Key, const std::string &Changed,
          TuneResult &Result) {
  auto Note = [&](const std::string &Why) {
    Result.Notes.push_back(fmt::format("The result is not in '{}': {}.", Path, Why));
  };
  TuneResult Kept = Result;
  Kept.RequiredSpeedup = UsualSpeedup;
  if (const Advice What = summarize(Kept).What; What == Advice::Undecided || What == Advice::Unknown)
    return Note("nothing is decided");
  if (Result.Interrupted)
    return Note("the search was interrupted");
  if (!Changed.empty())
    return Note("the files have changed");
  if (llvm::Error Error = Database.store(Key, Kept))
    Note(textOf(std::move(Error)));
}

} // namespace

llvm::Expected<TuneAnswer> tune(const Toolchain &Tools, const TuneRequest &Request, const SearchSeams &Seams) {
  BusyClock Busy; // of compilers and GPUs
  StepClock Steps(Seams, Busy);
  NvccCompiler Nvcc(Tools.Nvcc, Request.Cache);
  CountedCompiler Back(Nvcc, Busy);
  llvm::DefaultThreadPool Pool(llvm::hardware_concurrency(Request.Jobs)); // what uses it stands below, and ends first
  TuneResult Result = resultFor(Request);

  Steps.begin("finding GPUs");
  auto Gpus = TRY(findGpus(Request));
  Result.Modelled = Gpus.Devices.empty();

  // The runners begin to make the buffers, and the compilers what is to run alone.
  Steps.begin("reading the workload");
  auto Texts = TRY(textsHash(Request.Workloads));
  auto Work = TRY(readWork(Request));
  FileLooks Looks;
  Looks.remember(filesOf(Request, Work));
  RunnerPool Runners(runnersOf(Request, Gpus.Devices), buffersOf(Work), Busy);
  SoloCompilation Compiling(Work, Gpus.Facts.Arch, Back, Pool);
  const double Began = Seams.Now(), Budget = Request.Seconds.value_or(0);
  const TuningTools All{Tools, Back, Pool, Runners, Seams.Interrupted, [&Seams, Began, Budget] {
                          return Budget > 0 && Seams.Now() - Began > Budget / 2;
                        }};

  Steps.begin("parsing");
  const KeyParts Parts{Request, Gpus.Facts, Nvcc, std::move(Texts)};
  auto Parsed = TRY(parseKernels(Tools, Work, Parts));
  Looks.remember(textsOf(Parsed.Kernels));
  const auto Subject = TRY(subjectOf(Request, std::move(Work), std::move(Parsed.Kernels)));
  // What the model takes must not look like a result, nor replace one. What is wrong with the kernels is said first.
  if (!Gpus.WhyNone.empty())
    return fail(ExitCode::MissingTool, Gpus.WhyNone,
                Request.List ? "" : "nothing can be measured; --no-gpu asks for what the model takes");
  std::optional<FileLock> TraceLock;
  if (!Request.Trace.empty()) {
    TraceLock.emplace(TRY(FileLock::take(Request.Trace, "another tuning uses the trace '{}'")));
  }
  llvm::append_range(Result.Notes, TRY(notCompared(Subject)));
  Result.Restricted = isRestricted(Request, Subject);
  std::optional<TuningDatabase> Database;
  if (!Request.Database.empty()) {
    Database.emplace(TRY(TuningDatabase::openToWrite(Request.Database)));
  }

  Steps.begin("tuning the kernels alone");
  auto Alone = TRY(Compiling.finish(Subject.Kernels));
  const Schedule Reference = referenceOf(Subject, Alone);
  Runners.setReference(Reference);
  auto Found = TRY(tuneAlone(All, Subject, problemOf(Subject, Gpus.Facts), Alone));
  Result.What = Found.What;
  Result.Solo = Found.Solo;
  Result.SoloFailed = Found.Failed;
  Result.AloneLeftOut = Found.LeftOut;
  if (Found.LeftOut > 0)
    Result.Notes.push_back(fmt::format("Half of the budget was spent before {} forms of the kernels alone were built: "
                                       "they may be faster than they are here.",
                                       Found.LeftOut));
  Result.Baselines = Found.Baselines;

  Steps.begin("searching");
  const std::unique_ptr<TuningKind> World =
      Subject.isLinked() ? alongLinks(All, Subject, Found, Reference.Launches) : sideBySide(All, Subject, Found);
  TRY(search(Request, Seams, All, Parsed.Key, *World, Steps.seconds(), Result));

  Steps.begin("confirming");
  std::string Drafted; // its key
  TuningDraft Draft;
  auto MakeDraft = [&](const Candidate &Of) -> llvm::Error {
    if (Drafted == Of.key())
      return llvm::Error::success();
    auto Made = TRY(World->draft(Of));
    Drafted = Of.key();
    Draft = std::move(Made);
    return llvm::Error::success();
  };
  auto Confirmed = TRY(confirmWinner(std::move(Result), Found, *World, Runners, [&](const Candidate &First) {
    return Drafted.empty() ? MakeDraft(First) : llvm::Error::success();
  }));
  TuneAnswer Answer{std::move(Confirmed.Result), std::move(Confirmed.Verdict)};
  llvm::append_range(Answer.Result.Notes, Runners.notes());
  for (const Ranked &Each : Answer.Verdict.Candidates)
    Answer.Elements[Each.Which.key()] = World->elementsOf(Each.Which);

  Steps.begin("writing");
  if (Answer.Verdict.What == Advice::TuneAlone && Request.EmitSolo) {
    TRY(writeAlone(Tools, Subject, Found, Answer.Files));
  } else if ((Answer.Verdict.What == Advice::Fuse || Answer.Result.Modelled) && Answer.Verdict.Winner) {
    TRY(MakeDraft(Answer.Verdict.Winner->Which));
    Answer.Files = std::move(Draft.Files);
    if (Answer.Verdict.Winner->Which.Groups.size() == 1)
      Answer.Fused = Draft.Fused;
    else if (!Answer.Verdict.Winner->Which.Groups.empty())
      Answer.Result.Notes.push_back("Launch " + Draft.Order + ".");
  }
  for (OutputFile &File : Answer.Files)
    File.Path = within(llvm::sys::path::parent_path(Request.Output), File.Path);
  if (Answer.Verdict.What == Advice::LeaveAlone || Answer.Verdict.What == Advice::TuneAlone ||
      Answer.Verdict.What == Advice::Fuse || (Answer.Result.Modelled && !Answer.Result.Interrupted))
    for (const std::string &Source : sourcesOf(Request, Subject, /*OfAny=*/true))
      if (isOfTuning(Source, Request.Output))
        Answer.Stale.push_back(Source);
  Answer.Result.Steps = Steps.end();
  Answer.Result.Seconds = Steps.seconds();
  if (Answer.Result.Seconds > 0)
    Answer.Result.BusyShare = std::min(1.0, Busy.seconds() / Answer.Result.Seconds);
  const std::string Changed = changeSince(Parsed, Parts, Subject, Looks);
  if (!Changed.empty())
    Answer.Result.Notes.push_back(fmt::format("This may be the result of two versions; run it again: {}.", Changed));
  if (Database)
    keep(*Database, Request.Database, Parsed.Key, Changed, Answer.Result);
  Nvcc.prune();
  return Answer;
}

} // namespace cufuse
