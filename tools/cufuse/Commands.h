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
};

/// Adds the subcommand; the function runs it once the command line is parsed.
std::function<llvm::Error()> addInspect(CLI::App &App, const Invocation &Invocation);
std::function<llvm::Error()> addFuse(CLI::App &App, const Invocation &Invocation);
std::function<llvm::Error()> addCheck(CLI::App &App, const Invocation &Invocation);
std::function<llvm::Error()> addTune(CLI::App &App, const Invocation &Invocation);

} // namespace cufuse
