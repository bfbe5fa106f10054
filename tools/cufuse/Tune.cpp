#include "Commands.h"

#include "cufuse/Compile/ArtifactCache.h"
#include "cufuse/Driver/Tune.h"
#include "cufuse/Profile/Runner.h"
#include "cufuse/Report/Report.h"

#include <llvm/Support/raw_ostream.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <unistd.h>

namespace cufuse {

namespace {

volatile std::sig_atomic_t Interruptions = 0;

/// The first asks the search to end in order; the next one ends the program.
void interrupt(int) {
  if (Interruptions)
    std::_Exit(130);
  Interruptions = 1;
}

struct Arguments {
  TuneRequest Request;
  std::string Html, Json;
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

llvm::Error run(const Arguments &Given, const Invocation &Invocation) {
  TuneRequest Request = Given.Request;
  if (!Invocation.Flags.empty())
    return badUsage("flags after `--`", "write them into the workload, under `flags`");
  if (!llvm::StringRef(Request.Output).ends_with(".cu"))
    return badUsage(fmt::format("the output '{}' does not end in .cu", Request.Output),
                    "the header is written beside it, as .h");
  for (const auto &[Option, Value] :
       {std::pair("--budget", Request.Seconds.value_or(0)), std::pair("--require-speedup", Request.RequiredSpeedup)})
    if (!std::isfinite(Value) || Value < 0)
      return badUsage(fmt::format("{} {} is not possible", Option, Value), "give a number, 0 or more");
  Request.OtherOutputs = {Given.Html, Given.Json};
  Request.Command = Invocation.Command;
  Request.Version = CUFUSE_VERSION;
  Request.Runner = runnerBeside(Invocation.Program);
  if (Request.CacheFolder.empty())
    Request.CacheFolder = defaultCacheFolder();
  auto Tools = findToolchain(Invocation.Program);
  if (!Tools)
    return Tools.takeError();

  std::signal(SIGINT, interrupt);
  const auto Start = std::chrono::steady_clock::now();
  SearchSeams Seams;
  Seams.Now = [Start] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count(); };
  Seams.Interrupted = [] { return Interruptions > 0; };
  Seams.Report = showProgress;
  auto Answer = tune(*Tools, Request, Seams);
  if (::isatty(STDERR_FILENO))
    llvm::errs() << "\r\033[K";
  if (!Answer)
    return Answer.takeError();

  // A report that cannot be written takes nothing else with it.
  std::vector<std::vector<OutputFile>> Groups = {std::move(Answer->Files)};
  if (!Given.Html.empty())
    Groups.push_back({{Given.Html, htmlReport(Answer->Result, Answer->Verdict)}});
  if (!Given.Json.empty())
    Groups.push_back({{Given.Json, jsonReport(Answer->Result, Answer->Verdict)}});
  llvm::outs() << textReport(Answer->Result, Answer->Verdict);
  llvm::Error Failed = llvm::Error::success();
  for (const std::vector<OutputFile> &Files : Groups) {
    if (llvm::Error Error = writeFiles(Files)) {
      Failed = llvm::joinErrors(std::move(Failed), std::move(Error));
      continue;
    }
    for (const OutputFile &File : Files)
      llvm::outs() << "wrote " << File.Path << "\n";
  }
  if (Failed)
    return Failed;
  const Advice What = Answer->Verdict.What;
  if (What == Advice::Undecided || (What == Advice::Unknown && !Answer->Result.Modelled))
    return fail(ExitCode::Undecided, Answer->Verdict.Sentence, "nothing was kept; tune them again");
  if (Given.Strict && What != Advice::Fuse)
    return fail(ExitCode::NotAdvised, Answer->Verdict.Sentence, "drop --strict to go on without a fused kernel");
  return llvm::Error::success();
}

} // namespace

std::function<llvm::Error()> addTune(CLI::App &App, const Invocation &Invocation) {
  auto Given = std::make_shared<Arguments>();
  TuneRequest &Request = Given->Request;
  CLI::App &Command = *App.add_subcommand("tune", "Search for the fastest fused kernel, or say not to fuse");
  Command.add_option("workload", Request.Workloads, "Workload files (docs/workload.md)")->required();
  Command.add_option("-o", Request.Output, "Fused source, written when fusing pays; its header stands beside it")
      ->type_name("OUT.cu")
      ->required();
  Command.add_option("--set", Request.Settings, "A size of the workload")->type_name("NAME=VALUE");
  Command.add_option("--name", Request.Name, "Namespace of the fused kernel")->default_val("fused_kernels");
  Command.add_option("--report", Given->Html, "Write the report as one HTML file")->type_name("FILE.html");
  Command.add_option("--json", Given->Json, "Write the whole result as JSON")->type_name("FILE.json");
  Command.add_option("--trace", Request.Trace, "Keep every measurement here, and go on with what it holds")
      ->type_name("FILE.jsonl");
  Command.add_option("--database", Request.Database, "Keep the result here, for later runs and for `fuse --from-db`")
      ->type_name("FILE.db");
  Command.add_option("--strategy", Request.Strategy, "How to search")
      ->check(CLI::IsMember({"auto", "exhaustive", "hfuse", "random"}))
      ->capture_default_str();
  Command.add_option("--seed", Request.Seed, "Of the strategy `random`");
  Command.add_option(
      "--budget", Request.Seconds,
      "Seconds until the winner is measured again, at least half of them for the search; 0 for no limit. "
      "Without, `auto` has 15 on 16 cores and more on fewer; the others have no limit");
  Command.add_option("--candidates", Request.Measured, "Candidates to measure at most; 0 for no limit");
  Command
      .add_option("--require-speedup", Request.RequiredSpeedup, "Over the best baseline, for fusing to be recommended")
      ->capture_default_str();
  Command.add_flag("--strict", Given->Strict, "Exit with status 4 when fusing is not recommended");
  Command.add_flag("--no-binding", Request.WithoutBinding, "Leave arguments as they are, for a kernel of any sizes");
  Command.add_flag("--no-unrolling", Request.WithoutUnrolling, "Leave loops as they are");
  Command.add_option("--devices", Request.Devices, "GPUs to share the search among")->delimiter(',');
  Command.add_flag("--no-gpu", Request.WithoutGpu, "Rank by the model after ptxas, without measuring");
  Command.add_option("--arch", Request.Arch, "Target, as sm_90a; the GPU's own without");
  Command.add_option("--jobs", Request.Jobs, "Compilations at once; one for each core without");
  Command.add_option("--cache", Request.CacheFolder, "Where compiled candidates are kept")->type_name("FOLDER");
  Command.add_flag("--emit-solo", Request.EmitSolo,
                   "Write the kernels alone, with arguments bound and loops unrolled, where that is the best answer");
  return [Given, &Invocation] { return run(*Given, Invocation); };
}

} // namespace cufuse
