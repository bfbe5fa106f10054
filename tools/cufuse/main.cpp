#include "Commands.h"

#include "cufuse/Support/GuardedThread.h"
#include "cufuse/Support/Leftovers.h"
#include "cufuse/Support/Stdout.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Signals.h>
#include <llvm/Support/raw_ostream.h>

#include <csignal>
#include <sstream>

using namespace cufuse;

void cufuse::sayNote(const std::string &Text) { llvm::errs() << "cufuse: note: " << Text << '\n'; }

llvm::Error cufuse::checkOutputNames(const std::string &Output, const std::string &Name) {
  auto IsOfNames = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  if (!Name.empty() && (llvm::isDigit(Name[0]) || !llvm::all_of(Name, IsOfNames)))
    return badUsage(fmt::format("'{}' is not a C++ name", Name));
  if (!llvm::StringRef(Output).ends_with(".cu"))
    return badUsage(fmt::format("the output '{}' does not end in .cu", Output),
                    "the header is written beside it, as .h");
  if (llvm::StringRef("/" + Output).ends_with("/.cu"))
    return badUsage(fmt::format("the output '{}' has no name", Output), "write NAME.cu");
  if (Output.find_first_of("\"\n") != std::string::npos)
    return badUsage(fmt::format("no #include can name '{}'", Output), "use no quotes and no line breaks");
  return llvm::Error::success();
}

void cufuse::endBy(int Signal) {
  llvm::sys::RunInterruptHandlers(); // removes temporary files
  removeLeftovers();
  std::signal(Signal, SIG_DFL);
  std::raise(Signal); // when the handler ends
}

std::string cufuse::shellQuoted(const std::string &Argument) {
  if (!Argument.empty() && Argument.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                      "_-+=/.,:@%") == std::string::npos)
    return Argument;
  std::string Quoted = "'";
  for (char C : Argument)
    Quoted += C == '\'' ? std::string("'\\''") : std::string(1, C);
  return Quoted + "'";
}

int main(int Count, char **Written) {
  Invocation Invocation;
  std::map<int, void (*)(int)> Handlers;
  for (const int Signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction Found{};
    ::sigaction(Signal, nullptr, &Found);
    const bool Ignored = Found.sa_handler == SIG_IGN;
    if (Ignored)
      Invocation.Ignored.push_back(Signal);
    Handlers[Signal] = Ignored ? SIG_IGN : endBy;
  }
  llvm::sys::PrintStackTraceOnErrorSignal(Written[0]);
  for (const auto &[Signal, Handler] : Handlers) // LLVM has taken them
    std::signal(Signal, Handler);
  std::signal(SIGXFSZ, SIG_IGN); // a limit of the size of files is an error of who writes them
  Invocation.Program = llvm::sys::fs::getMainExecutable(Written[0], reinterpret_cast<void *>(&shellQuoted));
  Invocation.Command = "cufuse";
  int Own = Count;
  for (int I = 1; I < Count; ++I) {
    Invocation.Command += " " + shellQuoted(Written[I]);
    if (I > Own) {
      Invocation.Flags.push_back(Written[I]);
    } else if (std::string_view(Written[I]) == "--") {
      Own = I;
    }
  }

  CLI::App App("Fuses CUDA kernels into one.", "cufuse");
  App.set_version_flag("--version", "cufuse " CUFUSE_VERSION);
  App.require_subcommand(1);
  App.get_formatter()->column_width(38);
  App.footer("`cufuse SUBCOMMAND --help` has its options.\n\nExamples:\n"
             "  cufuse inspect histogram.cu -- -std=c++17\n"
             "  cufuse fuse histogram.cu:'histogram<float>' im2col.cu:'im2colKernel<float>' -o fused.cu\n\n"
             "Exit status: 0 done; 1 refused, or bad input; 2 bad usage; 3 a tool is missing; 4 fusing is not advised; "
             "5 undecided; 70 a bug of ours.");
  std::function<llvm::Error()> Runs[] = {addInspect(App, Invocation), addFuse(App, Invocation),
                                         addCheck(App, Invocation), addTune(App, Invocation)};
  try {
    App.parse(Own, Written);
  } catch (const CLI::ParseError &Error) {
    if (Error.get_exit_code() == 0) { // --help and --version
      std::ostringstream Text;
      App.exit(Error, Text, Text);
      llvm::outs() << Text.str();
      return finishStdout(static_cast<int>(ExitCode::Done));
    }
    return static_cast<int>(report(badUsage(Error.what(), "see `cufuse --help`"), llvm::errs()));
  }
  const std::vector<CLI::App *> All = App.get_subcommands([](const CLI::App *) { return true; });
  // As scripts write it whose variable is not set.
  for (const CLI::App *Each : All)
    for (const CLI::Option *Option : Each->get_options())
      if (llvm::is_contained(Option->results(), ""))
        return static_cast<int>(
            report(badUsage(Option->get_name() + " is empty", "give a value, or leave it out"), llvm::errs()));
  // Code may nest deeper than the main thread's stack lets visitors follow. A crash ends as the bug it is, and cleans
  // up.
  constexpr unsigned StackBytes = 512u << 20;
  ExitCode Code = ExitCode::Done;
  enableGuards();
  const bool Survived = runGuarded(
      [&] {
        for (size_t I = 0; I < All.size(); ++I)
          if (All[I]->parsed())
            Code = report(Runs[I](), llvm::errs());
      },
      StackBytes, /*Dump=*/true);
  if (!Survived)
    Code = report(defect("cufuse crashed"), llvm::errs());
  return finishStdout(static_cast<int>(Code));
}
