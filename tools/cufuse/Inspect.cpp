#include "Commands.h"

#include "cufuse/Driver/Describe.h"

#include <llvm/Support/raw_ostream.h>

namespace cufuse {

std::function<llvm::Error()> addInspect(CLI::App &App, const Invocation &Invocation) {
  struct Arguments {
    std::string File;
    bool Json = false;
    InputFlags Flags;
  };
  auto Given = std::make_shared<Arguments>();
  CLI::App &Command = *App.add_subcommand(
      "inspect", "List the kernels of a file: what they use, and what stands in the way of fusing them.");
  Command.footer(
      "Examples:\n  cufuse inspect histogram.cu -- -std=c++17\n  cufuse inspect src/kernels.cu --json -p build");
  Command.add_option("FILE", Given->File, "A .cu file; nvcc's flags for it go after `--`")
      ->option_text("...")
      ->required();
  Command.add_flag("--json", Given->Json, "Print JSON");
  Command.add_option("-p,--build", Given->Flags.BuildDirectory, "Take the flags from FOLDER/compile_commands.json")
      ->option_text("FOLDER");
  Command.add_option("--arch", Given->Flags.Arch, "Architecture, like sm_80 (default: from the flags, else sm_90a)")
      ->option_text("ARCH");
  return [Given, &Invocation]() -> llvm::Error {
    Given->Flags.Written = Invocation.Flags;
    auto Tools = findToolchain(Invocation.Program, sayNote);
    if (!Tools)
      return Tools.takeError();
    auto Kernels = readAllKernels(*Tools, Given->File, Given->Flags);
    if (!Kernels)
      return Kernels.takeError();
    llvm::outs() << (Given->Json ? describeAsJson(*Kernels) : describe(*Kernels));
    return llvm::Error::success();
  };
}

} // namespace cufuse
