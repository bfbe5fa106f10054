#include "cufuse/Compile/Nvcc.h"

#include "cufuse/Support/Error.h"
#include "cufuse/Support/Process.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/ScopeExit.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <unistd.h>

namespace cufuse {

std::vector<std::string> gencodeFlags(const std::string &Arch) {
  llvm::StringRef Number = Arch;
  Number.consume_front("sm_");
  return {"-gencode", "arch=compute_" + Number.str() + ",code=" + Arch};
}

std::vector<std::string> nvccEnvironment() {
  std::vector<std::string> Set;
  for (char **One = environ; *One; ++One) {
    const llvm::StringRef Name = llvm::StringRef(*One).split('=').first;
    if (Name.starts_with("NVCC_") || Name.starts_with("NVVM_") ||
        llvm::is_contained({"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
                            "SOURCE_DATE_EPOCH", "CICC_PATH", "CUDA_INC_PATH",
                            // To these, nvcc's profile adds its own.
                            "TOP", "INCLUDES", "SYSTEM_INCLUDES", "LIBRARIES", "CUDAFE_FLAGS", "PTXAS_FLAGS"},
                           Name))
      Set.push_back(*One);
  }
  llvm::sort(Set);
  return Set;
}

llvm::Error checkArguments(llvm::ArrayRef<std::string> Arguments) {
  for (const std::string &Argument : Arguments)
    if (Argument.find_first_of("$`\n") != std::string::npos)
      return badInput(fmt::format("nvcc hands its arguments to a shell, which reads another text in '{}'", Argument),
                      "use no $, no backquote and no newline in paths and flags");
  return llvm::Error::success();
}

llvm::Expected<std::map<std::string, ResourceUse>> measureResources(const NvccJob &Job) {
  if (Job.Nvcc.empty())
    return fail(ExitCode::MissingTool, "nvcc is on neither PATH nor in the CUDA toolkit's bin",
                "install the CUDA compiler, or choose --registers none");
  llvm::SmallString<128> Folder;
  if (std::error_code Error = llvm::sys::fs::createUniqueDirectory("cufuse", Folder))
    return fail(ExitCode::MissingTool, "cannot make a temporary folder: " + Error.message());
  llvm::scope_exit Clean([&] { llvm::sys::fs::remove_directories(Folder); });
  auto Within = [&](const std::string &Name) {
    llvm::SmallString<128> Path(Folder);
    llvm::sys::path::append(Path, Name);
    return std::string(Path);
  };
  std::vector<OutputFile> Files = Job.Files;
  for (OutputFile &File : Files)
    File.Path = Within(File.Path);
  if (llvm::Error Error = writeFiles(Files))
    return std::move(Error);
  std::vector<std::string> Command = {Job.Nvcc, "-cubin", "-Xptxas", "-v"};
  const std::vector<std::string> Target = gencodeFlags(Job.Arch);
  Command.insert(Command.end(), Target.begin(), Target.end());
  Command.insert(Command.end(), Job.Flags.begin(), Job.Flags.end());
  Command.insert(Command.end(), {"-o", Within("out.cubin"), Files.front().Path});
  if (llvm::Error Error = checkArguments(Command))
    return std::move(Error);
  auto Result = runProcess(Command, /*TimeLimitSeconds=*/600);
  if (!Result)
    return Result.takeError();
  if (Result->Status != 0)
    return defect("nvcc does not compile the fused source:\n" + Result->Output);
  return parsePtxas(Result->Output);
}

} // namespace cufuse
