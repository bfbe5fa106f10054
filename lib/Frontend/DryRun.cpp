#include "DryRun.h"

#include "cufuse/Frontend/UsersText.h"
#include "cufuse/Support/ArtifactCache.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/FileStore.h"
#include "cufuse/Support/NvccEnvironment.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>

#include <cstdlib>

namespace cufuse {

/// All that the steps come from; nothing where that is not known. A script in nvcc's place may look at anything, and
/// some flags and variables name compilers and files with more flags.
static std::vector<std::string> originOfSteps(const std::vector<std::string> &Command) {
  const std::string &Nvcc = Command[0];
  std::vector<std::string> Origin = nvccEnvironment();
  auto LeadsOn = [](llvm::StringRef Word) {
    return Word.starts_with("NVCC_") || Word.starts_with("@") || Word.contains("ccbin") ||
           Word.contains("compiler-bindir") || Word.contains("options-file") || Word.contains("-optf");
  };
  const auto Text = llvm::MemoryBuffer::getFileSlice(Nvcc, 4, 0);
  if (!Text || !(*Text)->getBuffer().starts_with("\177ELF") || llvm::any_of(Command, LeadsOn) ||
      llvm::any_of(Origin, LeadsOn))
    return {};
  const char *Path = std::getenv("PATH");
  Origin.insert(Origin.end(), {"steps", Path ? Path : ""});
  Origin.insert(Origin.end(), Command.begin(), Command.end());
  for (const std::string &Each : {Nvcc, realPath(Nvcc)}) {
    const std::string Folder = llvm::sys::path::parent_path(Each).str();
    for (const std::string &File : {Each, within(Folder, "nvcc.profile"), within(Folder, "gcc")})
      Origin.push_back(lookOf(File));
  }
  const auto Host = llvm::sys::findProgramByName("gcc");
  Origin.push_back(Host ? *Host + " " + lookOf(*Host) : "");
  return Origin;
}

llvm::Expected<ProcessResult> dryRun(ArtifactCache &Cache, const std::string &Nvcc, llvm::ArrayRef<std::string> Flags) {
  std::vector<std::string> Command = {Nvcc, "--dryrun", "-c", "-x", "cu"};
  Command.insert(Command.end(), Flags.begin(), Flags.end());
  Command.insert(Command.end(), {"-o", "/dev/null", "/dev/null"});
  std::optional<ProcessResult> Said;
  auto Ask = [&]() -> llvm::Error {
    auto Folder = TRY(Cache.newFolder());
    Said = TRY(runProcess(Command, 120, Folder.path()));
    return llvm::Error::success();
  };
  if (const std::vector<std::string> Origin = originOfSteps(Command); !Origin.empty()) {
    const auto Entry = llvm::expectedToOptional(Cache.get(Origin, [&](const std::string &Folder) -> llvm::Error {
      TRY(Ask());
      return Said->Status == 0 ? writeFiles({{within(Folder, "steps"), Said->Output}}) : badInput("");
    }));
    if (Entry && !Said)
      if (auto Steps = llvm::expectedToOptional(textOfFile(within(*Entry, "steps"))))
        return ProcessResult{0, std::move(*Steps)};
  }
  if (!Said)
    TRY(Ask());
  return std::move(*Said);
}

} // namespace cufuse
