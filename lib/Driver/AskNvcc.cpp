#include "Parts.h"

#include "cufuse/Compile/Nvcc.h"
#include "cufuse/Frontend/CompilersAnswers.h"
#include "cufuse/Support/ArtifactCache.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>

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

/// The compiler that nvcc runs unless it is told another. What is kept names none: only what nvcc says itself is run.
std::string usualCompiler() {
  auto Found = llvm::sys::findProgramByName("gcc");
  return Found ? *Found : std::string();
}

// Lines, of which none holds a line break: of each step `step ARCHITECTURE` and then `argument ARGUMENT` for each
// behind the program; for each macro `macro DEFINITION`, for each folder `folder FOLDER`.
std::string written(llvm::ArrayRef<NvccStep> Steps, const Predefined &Known) {
  std::string Text;
  for (const NvccStep &Step : Steps) {
    Text += "step " + Step.Arch + "\n";
    for (const std::string &Argument : llvm::drop_begin(Step.Command))
      Text += "argument " + Argument + "\n";
  }
  for (const std::string &Macro : Known.Macros)
    Text += "macro " + Macro + "\n";
  for (const std::string &Folder : Known.Folders)
    Text += "folder " + Folder + "\n";
  return Text;
}

bool read(llvm::StringRef Text, std::vector<NvccStep> &Steps, Predefined &Known) {
  for (llvm::StringRef Line : llvm::split(Text, '\n')) {
    const auto [What, Value] = Line.split(' ');
    if (What == "step")
      Steps.push_back({Value.str(), {usualCompiler()}});
    else if (What == "argument" && !Steps.empty())
      Steps.back().Command.push_back(Value.str());
    else if (What == "macro")
      Known.Macros.push_back(Value.str());
    else if (What == "folder")
      Known.Folders.push_back(Value.str());
  }
  return !Steps.empty() && !Known.Macros.empty() && !Known.Folders.empty();
}

bool canBeKept(llvm::ArrayRef<NvccStep> Steps) {
  return llvm::all_of(Steps, [Usual = usualCompiler()](const NvccStep &Step) {
    return Step.Command[0] == Usual && !llvm::is_contained(llvm::join(Step.Command, ""), '\n');
  });
}

} // namespace

llvm::Expected<NvccAnswer> askNvcc(const Toolchain &Tools, const std::string &File, const CompileFlags &Flags,
                                   const std::string &Arch) {
  if (Tools.Nvcc.empty())
    return NvccAnswer();
  std::vector<std::string> Key = surroundings(Tools);
  Key.insert(Key.begin(), {"nvcc's steps and folders, without its programs", File, Arch, Flags.Standard});
  Key.insert(Key.end(), Flags.Nvcc.begin(), Flags.Nvcc.end());
  Key.insert(Key.end(), {"by", Flags.Compiler, "for"});
  Key.insert(Key.end(), Flags.Architectures.begin(), Flags.Architectures.end());

  std::vector<NvccStep> Steps;
  Predefined Known;
  llvm::Error Refused = llvm::Error::success();
  bool Asked = false;
  auto Ask = [&] {
    Asked = true;
    auto Found = nvccSteps(Tools, File, Flags, Arch);
    if (!Found) {
      Refused = llvm::joinErrors(std::move(Refused), Found.takeError());
      return;
    }
    auto Has = predefined(Tools, Found->front());
    if (!Has)
      return llvm::consumeError(Has.takeError());
    for (const std::string &Named : Has->Folders)
      if (const size_t At = Named.find('/'); fs::exists(within(Named.substr(At), "cuda_runtime.h"))) {
        if (const std::string Folder = Named.substr(At);
            !ToolkitFiles(Tools).contains(within(Folder, "cuda_runtime.h")))
          Refused = llvm::joinErrors(std::move(Refused),
                                     badUsage(fmt::format("nvcc finds the headers of another toolkit, in '{}', before "
                                                          "those of its own, in '{}'",
                                                          Folder, Tools.CudaPath),
                                              "take that folder out of the flags and of the environment (CPATH, "
                                              "NVCC_PREPEND_FLAGS), or use its nvcc"));
        break;
      }
    Steps = std::move(*Found);
    Known = std::move(*Has);
  };
  auto Entry = Tools.Cache->get(Key, [&](const std::string &Folder) -> llvm::Error {
    Ask();
    if (Refused || Steps.empty() || !canBeKept(Steps))
      return badInput("");
    return writeFiles({{within(Folder, "depends"), Steps.front().Command[0] + "\n"},
                       {within(Folder, "answer"), written(Steps, Known)}});
  });
  if (Entry && !Asked)
    if (auto Text = llvm::MemoryBuffer::getFile(within(*Entry, "answer")))
      read((*Text)->getBuffer(), Steps, Known);
  llvm::consumeError(Entry.takeError());
  // The cache cannot be written, or is damaged.
  if (!Asked && (Steps.empty() || Known.Macros.empty()))
    Ask();
  if (Refused)
    return std::move(Refused);
  if (Steps.empty())
    return NvccAnswer();
  for (const std::string &Operator : compilersOperators())
    Known.Macros.push_back(Operator);
  return NvccAnswer{std::move(Steps), std::make_shared<Predefined>(std::move(Known))};
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
      // Files that only nvcc reads are in no digest.
      LibraryFiles Libraries(Tools);
      for (size_t I = 0; Theirs && I < Theirs->Files.size(); ++I)
        if (const std::string &Each = Theirs->Files[I];
            !Libraries.contains(Each) && !llvm::is_contained(Users.Files, Each))
          Depends += Each + "\n";
    };
    auto Entry = Tools.Cache->get(Key, [&](const std::string &Folder) -> llvm::Error {
      Compare();
      if (Difference || !Why.empty())
        return badInput("");
      return writeFiles({{within(Folder, "depends"), Depends}});
    });
    if (!Entry && !Asked)
      Compare();
    llvm::consumeError(Entry.takeError());
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
