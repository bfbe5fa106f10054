#include "Outputs.h"

#include "Commands.h"

#include "cufuse/Compile/Nvcc.h"
#include "cufuse/Frontend/Flags.h"
#include "cufuse/Support/Error.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

namespace cufuse {

std::string preludeOf(const FuseRequest &Request) { return within(folderOf(Request.Output), Request.Prelude); }

FileTime beginning(const FuseRequest &Request) {
  return Request.StopAfter == Step::Write ? nextFileTime(folderOf(Request.Output)) : FileTime::min();
}

/// As old as what was read for it, also where it had this text before: a build system asks whether it is newer than
/// that.
static void backdate(const std::string &Path, FileTime Began) {
  if (Began == FileTime::min())
    return;
  const FileTime Time = Began - FileTime(1);
  const auto Seconds = std::chrono::floor<std::chrono::seconds>(Time);
  const timespec At = {static_cast<time_t>(Seconds.count()), static_cast<long>((Time - Seconds).count())};
  const timespec Both[] = {At, At};
  ::utimensat(AT_FDCWD, Path.c_str(), Both, 0);
}

/// What several outputs share is not newer than any of them, whoever has written it: it is as old as this program,
/// which knows the text.
static FileTime timeOfPrelude(FileTime Began) {
  llvm::sys::fs::file_status Status;
  const std::string Own = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  return llvm::sys::fs::status(Own, Status) ? Began
                                            : std::min(Began, Status.getLastModificationTime().time_since_epoch());
}

llvm::Error writeOutputs(const std::vector<OutputFile> &Files, const FuseRequest &Request, FileTime Began) {
  TRY(writeFiles(Files));
  for (const OutputFile &File : Files)
    backdate(File.Path, !Request.Prelude.empty() && File.Path == preludeOf(Request) ? timeOfPrelude(Began) : Began);
  return llvm::Error::success();
}

std::string written(const FuseRequest &Request, const FuseResult &Result) {
  const LoadedKernel &First = Result.Kernels.front();
  std::string Command = "nvcc";
  if (First.Flags.Architectures.empty())
    Command += " " + llvm::join(gencodeFlags(First.Arch), " "); // `-arch=sm_90a` compiles for sm_90, too
  // Those of compile_commands.json are nobody's to type.
  if (!Request.Flags.BuildDirectory.empty()) {
    Command += " FLAGS";
  } else {
    const CompileFlags Flags = translateFlags(Request.Flags.Written);
    if (!Flags.Standard.empty())
      Command += " -std=" + Flags.Standard;
    for (const auto *Words : {&Flags.Architectures, &Flags.Nvcc})
      for (const std::string &Word : *Words)
        Command += " " + shellQuoted(Word);
  }
  std::vector<std::string> Folders;
  for (const LoadedKernel &Kernel : Result.Kernels)
    if (Kernel.Text.Dependencies.size() > 1) {
      Folders.push_back(folderOf(Kernel.Spec.File));
      llvm::append_range(Folders, Kernel.OtherFolders);
    }
  for (size_t I = 0; I < Folders.size(); ++I)
    if (llvm::find(Folders, Folders[I]) - Folders.begin() == static_cast<std::ptrdiff_t>(I))
      for (const std::string &Word : besideInput(Folders[I]))
        Command += " " + shellQuoted(Word);
  return fmt::format("{} and {} are written: {} -c {}\n", Request.Output, Result.HeaderPath, Command,
                     shellQuoted(Request.Output));
}

} // namespace cufuse
