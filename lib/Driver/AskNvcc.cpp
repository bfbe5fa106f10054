#include "Parts.h"

#include "cufuse/Frontend/CompilersAnswers.h"
#include "cufuse/Support/ArtifactCache.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/NvccEnvironment.h"

#include <fmt/core.h>
#include <llvm/Support/FileSystem.h>

#include <cstdlib>

namespace cufuse {

namespace fs = llvm::sys::fs;

namespace {

/// What an answer depends on besides the flags: nvcc, the folder that relative paths start from, the environment.
std::vector<std::string> surroundings(const Toolchain &Tools) {
  fs::file_status Status;
  llvm::SmallString<256> Folder;
  fs::status(Tools.Nvcc, Status);
  fs::current_path(Folder);
  std::vector<std::string> Parts = {Tools.Nvcc, std::to_string(Status.getSize()),
                                    std::to_string(Status.getLastModificationTime().time_since_epoch().count()),
                                    std::string(Folder)};
  const char *Path = std::getenv("PATH");
  Parts.push_back(Path ? Path : "");
  llvm::append_range(Parts, nvccEnvironment());
  return Parts;
}

} // namespace

llvm::Expected<NvccAnswer> askNvcc(const Toolchain &Tools, const std::string &File, const CompileFlags &Flags,
                                   const std::string &Arch) {
  if (Tools.Nvcc.empty())
    return NvccAnswer();
  auto Steps = TRY(nvccSteps(Tools, File, Flags, Arch));
  auto Known = llvm::expectedToOptional(predefined(Tools, Steps.front()));
  if (!Known)
    return NvccAnswer();
  for (const std::string &Named : Known->Folders)
    if (const std::string Folder = Named.substr(Named.find('/')); fs::exists(within(Folder, "cuda_runtime.h"))) {
      if (!ToolkitFiles(Tools).contains(within(Folder, "cuda_runtime.h")))
        return badUsage(
            fmt::format("nvcc finds the headers of another toolkit, in '{}', before those of its own, in '{}'", Folder,
                        Tools.CudaPath),
            "take that folder out of the flags and of the environment (CPATH, NVCC_PREPEND_FLAGS), or use "
            "its nvcc");
      break;
    }
  llvm::append_range(Known->Macros, compilersOperators());
  return NvccAnswer{std::move(Steps), std::make_shared<Predefined>(std::move(*Known))};
}

llvm::Expected<std::vector<Blocker>> otherText(const Toolchain &Tools, const NvccAnswer &Answer,
                                               const UsersText &Users) {
  std::vector<Blocker> Blockers;
  auto Pessimistic = [&](const std::string &Why) {
    for (const UsersToken &T : Users.Compilers)
      Blockers.push_back({BlockerKind::OtherCompilersText, placeOf(Users, T),
                          fmt::format("{} may be another for nvcc, and {}", T.Spelling, Why)});
  };
  if (Answer.Steps.empty())
    Pessimistic("nvcc is not at hand to be asked");
  const std::vector<std::string> Around = surroundings(Tools);
  for (const NvccStep &Step : Answer.Steps) {
    // Only equality is kept: any change to a file of the user changes the digest, and with it the key.
    std::vector<std::string> Key = {"the same text", digestOf(Users)};
    Key.insert(Key.end(), Step.Command.begin(), Step.Command.end());
    Key.insert(Key.end(), Around.begin(), Around.end());
    bool Asked = false;
    std::optional<TextDifference> Difference;
    bool Refused = false;
    std::string Why, Depends = Step.Command[0] + "\n" + Tools.CudaPath + "/include/cuda_runtime.h\n";
    auto Compare = [&] {
      Asked = true;
      auto Theirs = nvccText(Tools, Step, Users);
      if (!Theirs)
        llvm::handleAllErrors(Theirs.takeError(), [&](const Failure &Each) {
          Refused = Each.Code == ExitCode::BadInput;
          Why = Each.Messages.front().Text;
        });
      else
        Difference = firstDifference(Users, *Theirs, Step.Arch);
      // Files that only nvcc reads, and what it reads in those of libraries, are in no digest.
      for (size_t I = 0; Theirs && I < Theirs->Files.size(); ++I)
        if (const std::string &Each = Theirs->Files[I]; fs::exists(Each) && !llvm::is_contained(Users.Files, Each))
          Depends += Each + "\n";
    };
    const auto Entry = llvm::expectedToOptional(Tools.Cache->get(Key, [&](const std::string &Folder) -> llvm::Error {
      Compare();
      if (Difference || !Why.empty())
        return badInput("");
      return writeFiles({{within(Folder, "depends"), Depends}});
    }));
    if (!Entry && !Asked)
      Compare();
    if (Refused)
      return badInput(fmt::format("nvcc does not preprocess '{}' for {}: {}", Step.Command.back(), Step.Arch, Why),
                      "correct the error, or pass the missing flags after `--`");
    if (!Why.empty()) {
      Pessimistic(Why);
      break;
    }
    if (Difference)
      Blockers.push_back({BlockerKind::OtherCompilersText, Difference->Where, Difference->Fact});
  }
  return Blockers;
}

} // namespace cufuse
