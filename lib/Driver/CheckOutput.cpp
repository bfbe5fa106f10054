#include "cufuse/Driver/CheckOutput.h"

#include "cufuse/Compile/Nvcc.h"
#include "cufuse/Frontend/NvccText.h"
#include "cufuse/Ptx/CheckPtx.h"
#include "cufuse/Support/ArtifactCache.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/FileStore.h"
#include "cufuse/Support/Process.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace cufuse {

/// Those that nvcc compiles for, by its own account: `-arch=all-major`, or a `code` above its `arch`.
static llvm::Expected<std::set<std::string>> architectures(const Toolchain &Tools, const std::string &Output,
                                                           const InputFlags &Input, const CompileFlags &Flags) {
  if (!Input.Arch.empty() || Flags.Architectures.empty())
    return std::set<std::string>{Input.Arch.empty() ? DefaultArch : Input.Arch};
  auto Steps = TRY(nvccSteps(Tools, Output, Flags, ""));
  std::set<std::string> All;
  for (const NvccStep &Step : Steps)
    All.insert(Step.Arch);
  return All;
}

static llvm::Expected<std::string> ptxOf(const Toolchain &Tools, const std::string &Output, const CompileFlags &Flags,
                                         const std::string &Arch) {
  auto Folder = TRY(Tools.Cache->newFolder());
  const std::string File = within(Folder.path(), "output.ptx");
  // With lines, a message has its place in the user's file.
  std::vector<std::string> Command = {Tools.Nvcc, "-ptx", "-lineinfo"};
  for (const std::vector<std::string> &Some : {gencodeFlags(Arch), Flags.Nvcc})
    Command.insert(Command.end(), Some.begin(), Some.end());
  if (!Flags.Standard.empty())
    Command.push_back("-std=" + Flags.Standard);
  Command.insert(Command.end(), {"-o", File, Output});
  auto Result = TRY(runProcess(Command, /*TimeLimitSeconds=*/600, Folder.path()));
  if (Result.Status != 0)
    return badInput(fmt::format("nvcc does not compile '{}':\n{}", Output, Result.Output),
                    llvm::StringRef(Result.Output).contains("Duplicate definition")
                        ? "put braces around the text of assembly that declares registers or labels"
                        : "give the flags that it is compiled with after `--`");
  return textOfFile(File);
}

llvm::Expected<std::string> checkOutput(const Toolchain &Tools, const std::string &Output, const std::string &Ptx,
                                        const InputFlags &Flags) {
  auto Expected = readExpectation(TRY(textOfFile(Output)));
  if (!Expected)
    return badInput(fmt::format("cannot check '{}': {}", Output, textOf(Expected.takeError())));
  if (!Ptx.empty()) {
    auto Seen = TRY(checkPtx(TRY(textOfFile(Ptx)), *Expected, Ptx));
    return fmt::format("{}: as planned: {}\n", Ptx, fmt::join(Seen, ", "));
  }
  if (Tools.Nvcc.empty())
    return fail(ExitCode::MissingTool, "nvcc is on neither PATH nor in the CUDA toolkit's bin",
                "install the CUDA compiler, or give the output's PTX with --ptx");
  auto Translated = TRY(compileFlags(Output, Flags));
  auto Architectures = TRY(architectures(Tools, Output, Flags, Translated));
  std::string Lines;
  for (const std::string &Arch : Architectures) {
    auto Seen = TRY(checkPtx(TRY(ptxOf(Tools, Output, Translated, Arch)), *Expected, Arch + " PTX"));
    Lines += fmt::format("{}: {} as planned: {}\n", Output, Arch, fmt::join(Seen, ", "));
  }
  return Lines;
}

} // namespace cufuse
