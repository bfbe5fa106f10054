// One file per subcommand; the command line is parsed nowhere else.
#pragma once

#include "cufuse/Driver/Pipeline.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace cufuse {

/// What main knows before a subcommand runs.
struct Invocation {
  std::string Program;            ///< Real path of the executable.
  std::string Command;            ///< As typed, quoted for a shell.
  std::vector<std::string> Flags; ///< What stands after `--`.
  std::vector<int> Ignored;       ///< Signals that the process was started to ignore, as by `nohup`.
};

/// One argument as a shell reads it back.
std::string shellQuoted(const std::string &Argument);
/// For a signal: removes what is temporary, and ends.
void endBy(int Signal);
/// To stderr, as a note of ours.
void sayNote(const std::string &Text);
/// Of a fused source, and of the namespace in it; an empty one is chosen later. Fails as bad usage.
llvm::Error checkOutputNames(const std::string &Output, const std::string &Name);

/// Adds the subcommand; the function runs it once the command line is parsed.
std::function<llvm::Error()> addInspect(CLI::App &App, const Invocation &Invocation);
std::function<llvm::Error()> addFuse(CLI::App &App, const Invocation &Invocation);
std::function<llvm::Error()> addCheck(CLI::App &App, const Invocation &Invocation);
std::function<llvm::Error()> addTune(CLI::App &App, const Invocation &Invocation);

} // namespace cufuse
