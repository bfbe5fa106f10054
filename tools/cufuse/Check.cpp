#include "Commands.h"

#include "cufuse/Driver/CheckOutput.h"
#include "cufuse/Support/Error.h"

#include <llvm/Support/raw_ostream.h>

namespace cufuse {

std::function<llvm::Error()> addCheck(CLI::App &App, const Invocation &Invocation) {
  struct Arguments {
    std::string Output, Ptx;
    InputFlags Flags;
  };
  auto Given = std::make_shared<Arguments>();
  CLI::App &Command = *App.add_subcommand(
      "check", "Compile an output to PTX and check that it reads and synchronises only what was planned.");
  Command.add_option("OUT.cu", Given->Output, "What `fuse` or `tune` wrote; nvcc's flags for it go after `--`")
      ->option_text("...")
      ->required();
  Command.footer("Examples:\n  cufuse check fused.cu -- -std=c++17\n  cufuse check fused.cu --ptx fused.ptx");
  Command.add_option("--ptx", Given->Ptx, "Its PTX, where it is compiled already")->option_text("FILE");
  Command.add_option("-p,--build", Given->Flags.BuildDirectory, "Take the flags from FOLDER/compile_commands.json")
      ->option_text("FOLDER");
  Command.add_option("--arch", Given->Flags.Arch, "Architecture, like sm_80 (default: all in the flags, else sm_90a)")
      ->option_text("ARCH");
  return [Given, &Invocation]() -> llvm::Error {
    Given->Flags.Written = Invocation.Flags;
    if (!Given->Flags.BuildDirectory.empty() && !Given->Flags.Written.empty())
      return badUsage("flags are given by -p and after `--`", "use one of them");
    auto Tools = TRY(findToolchain(Invocation.Program, sayNote));
    llvm::outs() << TRY(checkOutput(Tools, Given->Output, Given->Ptx, Given->Flags));
    return llvm::Error::success();
  };
}

} // namespace cufuse
