#include "Commands.h"

#include "cufuse/Driver/CheckPaths.h"
#include "cufuse/Report/Report.h"
#include "cufuse/Runner/Runner.h"
#include "cufuse/Support/ArtifactCache.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Tuning/Tune.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/Signals.h>
#include <llvm/Support/raw_ostream.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace cufuse {

namespace {

volatile std::sig_atomic_t Interruptions = 0;

/// The first asks the search to end in order; the next one ends the program, and with it all that it has started.
void interrupt(int Signal) {
  if (Interruptions)
    return endBy(Signal);
  Interruptions = 1;
  constexpr llvm::StringLiteral Said = "\ncufuse: note: ending with what is measured now; once more to stop at once\n";
  [[maybe_unused]] const ssize_t Written = ::write(STDERR_FILENO, Said.data(), Said.size());
}

struct TuneArguments {
  TuneRequest Request;
  std::string Html, Json, CacheFolder;
  bool Strict = false;
};

/// One line on a terminal that is written over; nothing elsewhere.
void showProgress(const Progress &P) {
  static const bool Terminal = ::isatty(STDERR_FILENO);
  if (!Terminal)
    return;
  llvm::errs() << fmt::format("\r\033[K{} of {} tried, {} measured", P.Tried, P.Candidates, P.Measured);
  if (!P.BestKey.empty())
    llvm::errs() << fmt::format(", best {:.1f} us: {}", P.BestMicroseconds, P.BestKey);
  if (P.Left > 0)
    llvm::errs() << fmt::format(", at most {:.0f} s left", P.Left);
}

/// By whatever path: that it is `-`, a device, or the file that the shell has opened.
bool isStdout(const std::string &Path) {
  struct stat Named{}, Ours{};
  return Path == "-" || (!Path.empty() && ::stat(Path.c_str(), &Named) == 0 && ::fstat(STDOUT_FILENO, &Ours) == 0 &&
                         Named.st_dev == Ours.st_dev && Named.st_ino == Ours.st_ino);
}

llvm::Error run(const TuneArguments &Given, const Invocation &Invocation) {
  TuneRequest Request = Given.Request;
  if (!Invocation.Flags.empty())
    return badUsage("flags after `--`", "write them into the workload, under `flags`");
  TRY(checkOutputNames(Request.Output, Request.Name));
  for (const auto &[Option, Value] :
       {std::pair("--budget", Request.Seconds.value_or(0)), std::pair("--require-speedup", Request.RequiredSpeedup)})
    if (!std::isfinite(Value) || Value < 0)
      return badUsage(fmt::format("{} {} is not possible", Option, Value), "give a number, 0 or more");
  // One that is stdout is there in the place of the text.
  const bool HtmlOnly = isStdout(Given.Html), JsonOnly = isStdout(Given.Json);
  if (HtmlOnly && JsonOnly)
    return badUsage("--report and --json both write to stdout", "name a file for one of them");
  Request.OtherOutputs = {HtmlOnly ? "" : Given.Html, JsonOnly ? "" : Given.Json};
  Request.Command = Invocation.Command;
  Request.Version = CUFUSE_VERSION;
  Request.Runner = runnerBeside(Invocation.Program);
  auto Tools = TRY(findToolchain(Invocation.Program, sayNote));
  Request.Cache = Given.CacheFolder.empty() ? Tools.Cache
                                            : std::make_shared<ArtifactCache>(cacheWithin(Given.CacheFolder), sayNote);
  // The runner is told of files in JSON.
  if (!llvm::json::isUTF8(Request.Cache->folder()))
    return badUsage(fmt::format("the cache folder '{}' has a name that is not UTF-8", Request.Cache->folder()),
                    "name another with --cache");

  for (const int Signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (llvm::is_contained(Invocation.Ignored, Signal))
      continue;
    struct sigaction Ours{};
    Ours.sa_handler = interrupt;
    Ours.sa_flags = SA_RESTART;
    ::sigaction(Signal, &Ours, nullptr);
  }
  const auto Start = std::chrono::steady_clock::now();
  SearchSeams Seams;
  Seams.Now = [Start] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count(); };
  Seams.Interrupted = [] { return Interruptions > 0; };
  Seams.Report = showProgress;
  auto Answer = tuneSizes(Tools, Request, [&](const TuneRequest &One) { return tune(Tools, One, Seams); });
  if (::isatty(STDERR_FILENO))
    llvm::errs() << "\r\033[K";
  if (!Answer)
    return Answer.takeError();

  // A report that cannot be written takes nothing else with it.
  std::vector<std::vector<OutputFile>> Groups = {std::move(Answer->Files)};
  const std::string Html = Given.Html.empty() ? "" : htmlReport(Answer->Result, Answer->Verdict);
  const std::string Json = Given.Json.empty() ? "" : jsonReport(Answer->Result, Answer->Verdict);
  if (!Html.empty() && !HtmlOnly)
    Groups.push_back({{Given.Html, Html}});
  if (!Json.empty() && !JsonOnly)
    Groups.push_back({{Given.Json, Json}});
  llvm::outs() << (HtmlOnly ? Html : JsonOnly ? Json : textReport(Answer->Result, Answer->Verdict));
  llvm::Error Failed = llvm::Error::success();
  for (const std::vector<OutputFile> &Files : Groups) {
    if (llvm::Error Error = writeFiles(Files)) {
      Failed = llvm::joinErrors(std::move(Failed), std::move(Error));
      continue;
    }
    for (const OutputFile &File : Files)
      (HtmlOnly || JsonOnly ? llvm::errs() : llvm::outs()) << "wrote " << File.Path << "\n";
  }
  if (Failed)
    return Failed;
  auto IsWritten = [&](const std::string &Source) { // by whatever path
    return llvm::any_of(Groups, [&](const std::vector<OutputFile> &Files) {
      return llvm::any_of(Files, [&](const OutputFile &File) { return llvm::sys::fs::equivalent(File.Path, Source); });
    });
  };
  for (const std::string &Source : Answer->Stale)
    if (llvm::sys::fs::exists(Source) && !IsWritten(Source) && !llvm::errorToBool(checkReplaced(Source))) {
      llvm::sys::fs::remove(headerOf(Source));
      llvm::sys::fs::remove(Source);
      (HtmlOnly || JsonOnly ? llvm::errs() : llvm::outs())
          << "removed " << Source << ", which an earlier tuning has written\n";
    }
  const Advice What = Answer->Verdict.What;
  if (What == Advice::Undecided || (What == Advice::Unknown && !Answer->Result.Modelled))
    return fail(ExitCode::Undecided, Answer->Verdict.Sentence, "nothing was kept; tune them again");
  if (Given.Strict && What != Advice::Fuse)
    return fail(ExitCode::NotAdvised, Answer->Verdict.Sentence, "drop --strict to go on without a fused kernel");
  return llvm::Error::success();
}

} // namespace

std::function<llvm::Error()> addTune(CLI::App &App, const Invocation &Invocation) {
  auto Given = std::make_shared<TuneArguments>();
  TuneRequest &Request = Given->Request;
  CLI::App &Command = *App.add_subcommand("tune", "Search for the fastest fused kernel, or say not to fuse.");
  Command.footer(
      "Examples:\n"
      "  cufuse tune samples/histogram/workload.yaml samples/maxpool/workload.yaml -o best.cu --report r.html\n"
      "  cufuse tune pair.yaml --set n=1048576 --budget 60 --database tuned.db -o best.cu");
  auto In = [](const char *Group, std::initializer_list<CLI::Option *> Options) {
    for (CLI::Option *Each : Options)
      Each->group(Group);
  };
  Command.add_option("WORKLOADS", Request.Workloads, "FILE.yaml, one or more (docs/workload.md)")
      ->option_text("...")
      ->required();
  In("Kernels",
     {Command
          .add_option("--set", Request.Settings,
                      "A size of the workload, or a list of them, from the smallest on: which kernel is best over all, "
                      "and from which size on it pays")
          ->option_text("NAME=VALUE,…"),
      Command.add_option("--arch", Request.Arch, "Target, like sm_90a (default: the GPU's own)")->option_text("ARCH"),
      Command.add_flag("--no-binding", Request.WithoutBinding, "Fix no argument: a kernel for any sizes"),
      Command.add_flag("--no-unrolling", Request.WithoutUnrolling, "Leave loops as they are")});
  In("Search",
     {Command
          .add_option("--budget", Request.Seconds,
                      "At most so long until the winner is measured again; 0: no limit (default: 15 for `auto` on 16 "
                      "cores, more on fewer; no limit for the others)")
          ->option_text("SECONDS"),
      Command
          .add_option("--require-speedup", Request.RequiredSpeedup,
                      "How many times as fast as the best without fusion (default: 1.02)")
          ->option_text("FACTOR"),
      Command.add_option("--strategy", Request.Strategy, "How to search (default: auto)")
          ->option_text("auto|exhaustive|hfuse|random")
          ->check([](const std::string &Text) {
            return llvm::is_contained({"auto", "exhaustive", "hfuse", "random"}, Text)
                       ? std::string()
                       : fmt::format("'{}' is none of auto, exhaustive, hfuse, random", Text);
          }),
      Command
          .add_option("--candidates", Request.Measured,
                      "Measure at most so many, or compile with --no-gpu; 0: no limit")
          ->option_text("N"),
      Command.add_option("--seed", Request.Seed, "Of the strategy `random`")->option_text("N"),
      Command.add_option("--devices", Request.Devices, "GPUs to share the search among")
          ->option_text("N,N")
          ->delimiter(','),
      Command.add_flag("--no-gpu", Request.WithoutGpu, "Rank by the model after ptxas, without measuring"),
      Command.add_option("--jobs", Request.Jobs, "Compilations at once (default: one for each core)")->option_text("N"),
      Command.add_option("--cache", Given->CacheFolder, "Keep compiled candidates here, in `cufuse-UID`")
          ->option_text("FOLDER"),
      Command.add_option("--trace", Request.Trace, "Keep every measurement here, and go on with what it holds")
          ->option_text("FILE.jsonl")});
  In("Output",
     {Command.add_option("-o", Request.Output, "Fused source, written when fusing pays; its header is OUT.h beside it")
          ->option_text("OUT.cu (required)")
          ->required(),
      Command.add_option("--name", Request.Name, "Namespace of the fused kernel (default: fused_kernels)")
          ->option_text("NAME")
          ->default_val("fused_kernels"),
      Command
          .add_option("--report", Given->Html, "Write the report as one HTML file; - for stdout, instead of the text")
          ->option_text("FILE.html"),
      Command.add_option("--json", Given->Json, "Write the whole result as JSON; - for stdout, instead of the text")
          ->option_text("FILE.json"),
      Command.add_option("--database", Request.Database, "Keep the result, for later runs and for `fuse --from-db`")
          ->option_text("FILE.db"),
      Command.add_flag("--emit-solo", Request.EmitSolo,
                       "Write the kernels alone, tuned, where that is the best answer"),
      Command.add_flag("--strict", Given->Strict, "Exit with status 4 when fusing is not recommended")});
  return [Given, &Invocation] { return run(*Given, Invocation); };
}

} // namespace cufuse
