#include "AskNvcc.h"

#include "cufuse/Compile/Nvcc.h"

#include <fmt/core.h>
#include <llvm/ADT/ScopeExit.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>

namespace cufuse {

namespace fs = llvm::sys::fs;

namespace {

llvm::Error write(const std::string &Path, llvm::StringRef Text) {
  std::error_code Error;
  llvm::raw_fd_ostream Out(Path, Error);
  if (Error)
    return llvm::errorCodeToError(Error);
  Out << Text;
  Out.close();
  Error = Out.error();
  Out.clear_error();
  return llvm::errorCodeToError(Error);
}

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

// Lines, of which none holds a line break: of each step its architecture, how many arguments, and these; then the
// macros.
std::string written(llvm::ArrayRef<NvccStep> Steps, llvm::ArrayRef<std::string> Predefined) {
  std::string Text = fmt::format("{}\n", Steps.size());
  for (const NvccStep &Step : Steps)
    Text += fmt::format("{}\n{}\n{}\n", Step.Arch, Step.Command.size(), llvm::join(Step.Command, "\n"));
  return Text + llvm::join(Predefined, "\n");
}

bool read(llvm::StringRef Text, std::vector<NvccStep> &Steps, std::vector<std::string> &Predefined) {
  auto Line = [&] {
    const auto [First, Rest] = Text.split('\n');
    Text = Rest;
    return First;
  };
  size_t Count = 0;
  if (Line().getAsInteger(10, Count) || Count == 0 || Count > 1000)
    return false;
  for (; Count > 0; --Count) {
    NvccStep &Step = Steps.emplace_back();
    Step.Arch = Line().str();
    size_t Arguments = 0;
    if (Line().getAsInteger(10, Arguments) || Arguments == 0 || Arguments > Text.size())
      return false;
    for (; Arguments > 0; --Arguments)
      Step.Command.push_back(Line().str());
  }
  while (!Text.empty())
    Predefined.push_back(Line().str());
  return !Predefined.empty();
}

bool hasLineBreak(llvm::ArrayRef<NvccStep> Steps) {
  return llvm::any_of(Steps, [](const NvccStep &Step) {
    return llvm::any_of(Step.Command, [](const std::string &A) { return llvm::StringRef(A).contains('\n'); });
  });
}

} // namespace

llvm::Expected<NvccAnswer> askNvcc(const Toolchain &Tools, ArtifactCache &Cache, const std::string &File,
                                   const CompileFlags &Flags, const std::string &Arch) {
  if (Tools.Nvcc.empty())
    return NvccAnswer();
  std::vector<std::string> Key = surroundings(Tools);
  Key.insert(Key.begin(), {"nvcc's steps", File, Arch, Flags.Standard});
  Key.insert(Key.end(), Flags.Nvcc.begin(), Flags.Nvcc.end());
  Key.push_back("for");
  Key.insert(Key.end(), Flags.Architectures.begin(), Flags.Architectures.end());

  std::optional<std::vector<NvccStep>> Steps;
  std::vector<std::string> Predefined;
  llvm::Error Refused = llvm::Error::success();
  auto Entry = Cache.get(Key, [&](const std::string &Folder) -> llvm::Error {
    auto Asked = nvccSteps(Tools, File, Flags, Arch);
    if (!Asked) {
      Refused = llvm::joinErrors(std::move(Refused), Asked.takeError());
      return badInput("");
    }
    Steps = std::move(*Asked);
    auto Macros = predefinedMacros(Steps->front());
    if (!Macros || hasLineBreak(*Steps)) {
      llvm::consumeError(Macros.takeError());
      return badInput("");
    }
    Predefined = std::move(*Macros);
    if (llvm::Error Error = write(within(Folder, "depends"), Steps->front().Command[0] + "\n"))
      return Error;
    return write(within(Folder, "answer"), written(*Steps, Predefined));
  });
  if (Refused) {
    llvm::consumeError(Entry.takeError());
    return std::move(Refused);
  }
  if (Entry && !Steps) {
    Steps.emplace();
    auto Text = llvm::MemoryBuffer::getFile(within(*Entry, "answer"));
    if (!Text || !read((*Text)->getBuffer(), *Steps, Predefined)) {
      Steps.reset();
      Predefined.clear();
    }
  }
  // The cache cannot be written, or is damaged.
  llvm::consumeError(Entry.takeError());
  if (!Steps) {
    auto Asked = nvccSteps(Tools, File, Flags, Arch);
    if (!Asked)
      return Asked.takeError();
    Steps = std::move(*Asked);
  }
  if (Predefined.empty()) {
    auto Macros = predefinedMacros(Steps->front());
    if (!Macros) {
      llvm::consumeError(Macros.takeError());
      return NvccAnswer();
    }
    Predefined = std::move(*Macros);
  }
  return NvccAnswer{std::move(*Steps), std::make_shared<std::vector<std::string>>(std::move(Predefined))};
}

std::vector<Blocker> otherText(const Toolchain &Tools, ArtifactCache &Cache, const NvccAnswer &Answer,
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
    std::string Why, Depends = Step.Command[0] + "\n" + Tools.CudaPath + "/include/cuda_runtime.h\n";
    auto Compare = [&] {
      Asked = true;
      auto Theirs = nvccText(Tools, Step);
      if (!Theirs)
        Why = textOf(Theirs.takeError());
      else
        Difference = firstDifference(Users, *Theirs, Step.Arch);
      // Files that only nvcc reads are in no digest.
      LibraryFiles Libraries(Tools);
      for (size_t I = 0; Theirs && I < Theirs->Files.size(); ++I)
        if (const std::string &Each = Theirs->Files[I];
            !Libraries.contains(Each) && !llvm::is_contained(Users.Files, Each))
          Depends += Each + "\n";
    };
    auto Entry = Cache.get(Key, [&](const std::string &Folder) -> llvm::Error {
      Compare();
      if (Difference || !Why.empty())
        return badInput("");
      return write(within(Folder, "depends"), Depends);
    });
    if (!Entry && !Asked)
      Compare();
    llvm::consumeError(Entry.takeError());
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
