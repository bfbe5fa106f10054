#include "Commands.h"

#include "cufuse/Driver/Chains.h"
#include "cufuse/Driver/Describe.h"
#include "cufuse/Support/Error.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

namespace cufuse {

std::function<llvm::Error()> addInspect(CLI::App &App, const Invocation &Invocation) {
  struct Arguments {
    std::string File;
    bool Json = false, Full = false, Chains = false;
    InputFlags Flags;
  };
  auto Given = std::make_shared<Arguments>();
  CLI::App &Command = *App.add_subcommand(
      "inspect", "List the kernels of a file, or say of one what it uses and what stands in the way of fusing it.");
  Command.footer("Examples:\n  cufuse inspect histogram.cu -- -std=c++17\n"
                 "  cufuse inspect histogram.cu:'histogram<float>' -- -std=c++17\n"
                 "  cufuse inspect src/kernels.cu --json -p build");
  Command
      .add_option("FILE", Given->File,
                  "FILE.cu, or FILE.cu:KERNEL as for `cufuse fuse`; nvcc's flags for it go after `--`")
      ->option_text("...")
      ->required();
  Command.add_flag("--full", Given->Full, "Say all of every kernel, template instances one by one");
  Command.add_flag("--chains", Given->Chains,
                   "Which launches of the file follow each other, with commands that fuse them");
  Command.add_flag("--json", Given->Json, "The same as JSON, of every kernel");
  Command.add_option("-p,--build", Given->Flags.BuildDirectory, "Take the flags from FOLDER/compile_commands.json")
      ->option_text("FOLDER");
  Command.add_option("--arch", Given->Flags.Arch, "Architecture, like sm_80 (default: from the flags, else sm_90a)")
      ->option_text("ARCH");
  return [Given, &Invocation]() -> llvm::Error {
    Given->Flags.Written = Invocation.Flags;
    auto Tools = TRY(findToolchain(Invocation.Program, sayNote));
    // A file may have a colon in its name.
    const bool OfOne = llvm::StringRef(Given->File).contains(':') && !llvm::sys::fs::exists(Given->File);
    auto Spec = TRY(OfOne ? parseKernelSpec(Given->File) : KernelSpec{Given->File, "", 0});
    const bool Summary = !OfOne && !Given->Json && !Given->Full && !Given->Chains;
    auto Kernels =
        TRY(OfOne ? readKernels(Tools, Spec, Given->Flags)
                  : readAllKernels(Tools, Given->File, Given->Flags, Summary ? Instances::First : Instances::All));
    if (Kernels.empty() && !Given->Json)
      llvm::outs() << describeNone(Given->File);
    else if (Given->Chains)
      llvm::outs() << (Given->Json ? describeChainsAsJson(Kernels) : describeChains(Tools, Kernels, Invocation.Flags));
    else if (Summary && (Kernels.size() > 1 || (!Kernels.empty() && Kernels.front().OtherInstances > 0)))
      llvm::outs() << summarise(Kernels) << "All of one: cufuse inspect FILE:KERNEL; of all: --full.\n";
    else
      llvm::outs() << (Given->Json ? describeAsJson(Kernels) : describe(Kernels));
    return llvm::Error::success();
  };
}

} // namespace cufuse
