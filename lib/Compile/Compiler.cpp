#include "cufuse/Compile/Compiler.h"

#include "cufuse/Compile/Nvcc.h"
#include "cufuse/Ptx/CheckPtx.h"
#include "cufuse/Ptx/SeparatePtx.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/NvccEnvironment.h"
#include "cufuse/Support/Process.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>

#include <cstdlib>
#include <set>

namespace cufuse {

constexpr unsigned TimeLimitSeconds = 600;

/// Relocatable code would have to be linked before it is loaded.
static std::vector<std::string> flagsOf(const CompileJob &Job) {
  std::vector<std::string> Flags = Job.Flags;
  if (!Job.Relocatable)
    llvm::erase_if(Flags, [](llvm::StringRef Flag) { return Flag.starts_with("-rdc="); });
  return Flags;
}

/// The files after the colon of a makefile's rule, absolute, without those in `Except`.
static std::vector<std::string> dependenciesOf(llvm::StringRef Rule, llvm::StringRef Except) {
  std::vector<std::string> Paths;
  std::string Path;
  auto End = [&] {
    llvm::SmallString<128> Absolute(Path);
    Path.clear();
    if (Absolute.empty() || llvm::sys::fs::make_absolute(Absolute) || Absolute.starts_with(Except))
      return;
    llvm::sys::path::remove_dots(Absolute);
    Paths.push_back(std::string(Absolute));
  };
  Rule = Rule.substr(std::min(Rule.find(" : ") + 3, Rule.size()));
  for (size_t I = 0; I < Rule.size(); ++I) {
    const char Next = I + 1 < Rule.size() ? Rule[I + 1] : '\n';
    if ((Rule[I] == '\\' && Next != '\n') || (Rule[I] == '$' && Next == '$'))
      Path += Rule[++I];
    else if (Rule[I] == '\\' || Rule[I] == ' ' || Rule[I] == '\n' || Rule[I] == '\t')
      End();
    else
      Path += Rule[I];
  }
  End();
  return Paths;
}

/// The folders that flags and environment name for headers.
static std::vector<std::string> headerFolders(llvm::ArrayRef<std::string> Flags) {
  std::vector<std::string> Folders;
  for (size_t I = 0; I < Flags.size(); ++I)
    for (llvm::StringRef Option :
         {"-I", "-isystem", "--include-path=", "--include-path", "--system-include=", "--system-include", "-iquote"}) {
      llvm::StringRef Flag = Flags[I];
      if (!Flag.consume_front(Option))
        continue;
      if (Flag.empty() && I + 1 < Flags.size())
        Flag = Flags[++I];
      llvm::SmallVector<llvm::StringRef> Each;
      Flag.split(Each, ',', -1, /*KeepEmpty=*/false);
      for (llvm::StringRef Folder : Each)
        Folders.push_back(absolute(Folder.trim('"')));
      break;
    }
  for (const char *Variable : {"CPATH", "CPLUS_INCLUDE_PATH"})
    if (const char *Value = std::getenv(Variable)) {
      llvm::SmallVector<llvm::StringRef> Each;
      llvm::StringRef(Value).split(Each, ':');
      for (llvm::StringRef Folder : Each)
        Folders.push_back(absolute(Folder.empty() ? "." : Folder));
    }
  return Folders;
}

/// Where the compiler looked, or might have looked, for these files before it found them: a header that appears there
/// takes the place of one of them. Of system headers, which are many, the name alone and with its folder is looked for.
static std::vector<std::string> placesBefore(llvm::ArrayRef<std::string> Read, llvm::ArrayRef<std::string> Flags,
                                             llvm::StringRef Toolkit) {
  namespace path = llvm::sys::path;
  std::set<std::string> Named, Folders, Places; // those named by the build; those, and the folders of the user's files
  for (const std::string &Folder : headerFolders(Flags))
    Named.insert(Folder);
  auto IsSystem = [&](llvm::StringRef File) {
    return (File.starts_with("/usr/") || File.starts_with(Toolkit)) &&
           llvm::none_of(Named, [&](const std::string &Folder) { return File.starts_with(Folder + "/"); });
  };
  Folders = Named;
  for (const std::string &File : Read)
    if (!IsSystem(File))
      Folders.insert(path::parent_path(File).str());
  for (const std::string &File : Read) {
    std::set<std::string> Names = {path::filename(File).str()};
    if (IsSystem(File)) {
      Names.insert(within(path::filename(path::parent_path(File)), path::filename(File)));
    } else {
      for (const std::string &Folder : Folders)
        if (llvm::StringRef Name = File; Name.consume_front(Folder + "/"))
          Names.insert(Name.str());
    }
    for (const std::string &Folder : Folders)
      for (const std::string &Name : Names)
        if (std::string Place = within(Folder, Name); !llvm::is_contained(Read, Place))
          Places.insert(std::move(Place));
  }
  return {Places.begin(), Places.end()};
}

const ResourceUse *CompiledKernels::find(llvm::StringRef Entry) const {
  const auto First = Resources.lower_bound(Entry.str());
  return First != Resources.end() && llvm::StringRef(First->first).starts_with(Entry) ? &First->second : nullptr;
}

llvm::Expected<std::string> NvccCompiler::version() {
  std::lock_guard Guard(Lock);
  if (!Version.empty())
    return Version;
  if (Nvcc.empty())
    return fail(ExitCode::MissingTool, "nvcc is on neither PATH nor in the CUDA toolkit's bin",
                "install the CUDA compiler");
  auto Result = TRY(runProcess({Nvcc, "--version"}, 60));
  if (Result.Status != 0)
    return fail(ExitCode::MissingTool, fmt::format("'{} --version' fails: {}", Nvcc, Result.Output));
  return Version = Result.Output;
}

std::vector<std::string> NvccCompiler::ptxKey(const CompileJob &Job, const std::vector<std::string> &Flags) const {
  llvm::SmallString<128> Here; // Flags may name folders relative to it.
  llvm::sys::fs::current_path(Here);
  // Which headers the host's compiler brings, and what it predefines.
  const auto Host = llvm::sys::findProgramByName("gcc");
  std::vector<std::string> Key = {"checked ptx", Version, Nvcc, Host ? *Host : "", Job.Arch, std::string(Here)};
  Key.insert(Key.end(), Flags.begin(), Flags.end());
  Key.push_back("environment");
  llvm::append_range(Key, nvccEnvironment());
  if (Job.Files.empty())
    Key.insert(Key.end(), {"source", absolute(Job.Source)});
  for (const OutputFile &File : Job.Files)
    Key.insert(Key.end(), {"file", File.Path, File.Text});
  return Key;
}

/// Runs nvcc for the job's target, with its temporary files beside the output, and says what it said. `Doing` begins
/// the message about what it does not compile: the user's file, or where there is none, the source that was written.
static llvm::Expected<std::string> runNvcc(std::vector<std::string> Command, const std::string &Arch,
                                           llvm::ArrayRef<std::string> Flags, const std::string &Output,
                                           const std::string &Input, const char *Doing, const std::string &UsersFile) {
  llvm::append_range(Command, gencodeFlags(Arch));
  llvm::append_range(Command, Flags);
  Command.insert(Command.end(), {"-o", Output, Input});
  TRY(checkArguments(Command));
  auto Result = TRY(runProcess(Command, TimeLimitSeconds, folderOf(Output)));
  if (Result.Status != 0)
    return UsersFile.empty() ? defect(fmt::format("{} the source:\n{}", Doing, Result.Output))
                             : badInput(fmt::format("{} '{}':\n{}", Doing, UsersFile, Result.Output));
  if (!llvm::sys::fs::exists(Output))
    return badUsage("nvcc has not written its output where it was asked to",
                    "leave -o out of the flags, NVCC_APPEND_FLAGS and NVCC_PREPEND_FLAGS");
  return std::move(Result.Output);
}

/// Compiles to `kernels.ptx` in the folder, and lists there in `depends` what was read outside of it, and what would
/// have been read instead if it were there.
static llvm::Error toPtx(const std::string &Nvcc, const std::string &Arch, llvm::ArrayRef<std::string> Flags,
                         const std::string &Source, const std::string &Folder, bool Written) {
  const std::string Depends = within(Folder, "rule");
  auto Said = TRY(runNvcc({Nvcc, "-ptx", "-MD", "-MF", Depends}, Arch, Flags, within(Folder, "kernels.ptx"), Source,
                          "nvcc does not compile", Written ? "" : Source));
  auto Rule = TRY(textOfFile(Depends));
  llvm::SmallString<128> Program;
  if (llvm::sys::fs::real_path(Nvcc, Program))
    Program = Nvcc;
  const llvm::StringRef Toolkit = llvm::sys::path::parent_path(llvm::sys::path::parent_path(Program));
  std::vector<std::string> Paths = dependenciesOf(Rule, Folder);
  llvm::append_range(Paths, placesBefore(Paths, Flags, Toolkit));
  // Which may be a script around another, with flags of its own.
  Paths.insert(Paths.end(), {Nvcc, within(folderOf(std::string(Program)), "nvcc.profile")});
  return writeFiles({{within(Folder, "depends"), llvm::join(Paths, "\n")}});
}

/// Of fused kernels, no PTX is kept or used that does more than was planned.
static llvm::Error checkPlanned(const CompileJob &Job, llvm::StringRef Ptx) {
  if (Job.Files.empty() || !hasExpectation(Job.Files.front().Text))
    return llvm::Error::success(); // another's kernels
  auto Expected = readExpectation(Job.Files.front().Text);
  return Expected ? checkPtx(Ptx, *Expected, Job.Files.front().Path + ", as PTX").takeError() : Expected.takeError();
}

static llvm::Error writeAll(std::vector<OutputFile> Files, const std::string &Folder) {
  for (OutputFile &File : Files)
    File.Path = within(Folder, File.Path);
  return writeFiles(Files);
}

/// The folder of a cache entry with `kernels.ptx`.
llvm::Expected<std::string> NvccCompiler::makePtx(const CompileJob &Job, const std::vector<std::string> &Flags) {
  return Cache->get(ptxKey(Job, Flags), [&](const std::string &Folder) -> llvm::Error {
    if (Job.Files.empty())
      return toPtx(Nvcc, Job.Arch, Flags, absolute(Job.Source), Folder, /*Written=*/false);
    TRY(writeAll(Job.Files, Folder));
    TRY(toPtx(Nvcc, Job.Arch, Flags, within(Folder, Job.Files.front().Path), Folder, /*Written=*/true));
    auto Ptx = textOfFile(within(Folder, "kernels.ptx"));
    return Ptx ? checkPlanned(Job, *Ptx) : Ptx.takeError();
  });
}

/// The same for the files of several jobs as one source.
static llvm::Error toPtxTogether(const std::string &Nvcc, llvm::ArrayRef<const CompileJob *> Jobs,
                                 llvm::ArrayRef<std::string> Flags, const std::string &Folder) {
  std::string Includes;
  for (const CompileJob *Job : Jobs) {
    const std::string Own = within(Folder, Job->Mark);
    if (std::error_code Error = llvm::sys::fs::create_directory(Own))
      return llvm::errorCodeToError(Error);
    TRY(writeAll(Job->Files, Own));
    Includes += fmt::format("#include \"{}/{}\"\n", Job->Mark, Job->Files.front().Path);
  }
  const std::string All = within(Folder, "all.cu");
  TRY(writeFiles({{All, Includes}}));
  return toPtx(Nvcc, Jobs.front()->Arch, Flags, All, Folder, /*Written=*/true);
}

void NvccCompiler::prepare(llvm::ArrayRef<const CompileJob *> Jobs) {
  if (!llvm::expectedToOptional(version()) || !Combines)
    return;
  const std::vector<std::string> Flags = flagsOf(*Jobs.front());
  std::vector<const CompileJob *> Missing;
  std::vector<std::string> Marks;
  for (const CompileJob *Job : Jobs)
    if (!Job->Mark.empty() && Job->Arch == Jobs.front()->Arch && flagsOf(*Job) == Flags &&
        !llvm::is_contained(Marks, Job->Mark) && !Cache->has(ptxKey(*Job, Flags))) {
      Missing.push_back(Job);
      Marks.push_back(Job->Mark);
    }
  if (Missing.size() < 2)
    return;
  const auto New = llvm::expectedToOptional(Cache->newFolder());
  if (!New)
    return;
  const std::string &Folder = New->path();
  const FileTime Began = nextFileTime(Folder);
  if (llvm::Error Error = toPtxTogether(Nvcc, Missing, Flags, Folder)) {
    Combines = false; // Whose fault it is, each will say by itself.
    return llvm::consumeError(std::move(Error));
  }
  const auto Ptx = llvm::expectedToOptional(textOfFile(within(Folder, "kernels.ptx"))),
             Depends = llvm::expectedToOptional(textOfFile(within(Folder, "depends")));
  const std::vector<std::string> Own = Ptx && Depends ? separatePtx(*Ptx, Marks) : std::vector<std::string>();
  if (Own.empty())
    Combines = false;
  for (size_t I = 0; I < Own.size(); ++I) {
    auto Kept = Cache->put(ptxKey(*Missing[I], Flags), Began, [&](const std::string &New) -> llvm::Error {
      TRY(checkPlanned(*Missing[I], Own[I]));
      std::vector<OutputFile> Files = Missing[I]->Files;
      Files.insert(Files.end(), {{"kernels.ptx", Own[I]}, {"depends", *Depends}});
      return writeAll(std::move(Files), New);
    });
    llvm::consumeError(std::move(Kept));
  }
}

llvm::Expected<CompiledKernels> NvccCompiler::compile(const CompileJob &Job) {
  auto Known = TRY(version());
  const std::vector<std::string> Flags = flagsOf(Job);
  auto Ptx = TRY(textOfFile(within(TRY(makePtx(Job, Flags)), "kernels.ptx")));
  auto Capped = TRY(withRegisterCap(Ptx, Job.Entry, Job.Cap));
  std::vector<std::string> Key = {"cubin", Known, Nvcc, Job.Arch, Capped};
  Key.insert(Key.end(), Flags.begin(), Flags.end());
  Key.push_back("environment");
  llvm::append_range(Key, nvccEnvironment());
  auto Folder = TRY(Cache->get(Key, [&](const std::string &New) -> llvm::Error {
    const std::string Input = within(New, "kernels.ptx");
    TRY(writeFiles({{Input, Capped}}));
    auto Log = TRY(runNvcc({Nvcc, "-cubin", "-Xptxas", "-v"}, Job.Arch, Flags, within(New, "kernels.cubin"), Input,
                           "ptxas refuses", Job.Files.empty() ? Job.Source : ""));
    llvm::sys::fs::remove(Input); // The key stands for it.
    return writeFiles({{within(New, "ptxas.log"), Log}});
  }));
  auto Log = TRY(textOfFile(within(Folder, "ptxas.log")));
  CompiledKernels Compiled;
  Compiled.Cubin = within(Folder, "kernels.cubin");
  Compiled.Resources = parsePtxas(Log);
  Compiled.BudgetIgnored = llvm::StringRef(Log).contains("(C7508)");
  return Compiled;
}

} // namespace cufuse
