#include "cufuse/Driver/CheckPaths.h"

#include "cufuse/Driver/Depfile.h"
#include "cufuse/Emit/Emit.h"
#include "cufuse/Ptx/PtxExpectation.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/FileStore.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <map>

namespace cufuse {

std::string headerOf(const std::string &Output) {
  llvm::SmallString<128> Header(Output);
  llvm::sys::path::replace_extension(Header, ".h");
  return std::string(Header);
}

/// Refuses to replace what is there and is not ours, or not as we have written it.
static llvm::Error checkReplaced(const std::string &Path, llvm::function_ref<bool(llvm::StringRef)> IsOurs) {
  if (!llvm::sys::fs::is_regular_file(Path))
    return llvm::Error::success();
  auto Text = TRY(textOfFile(Path));
  if (!Text.empty() && !IsOurs(Text))
    return badInput(fmt::format("'{}' is there, and cufuse has not written it", Path),
                    "choose another name for the output, or remove it");
  if (!isAsWritten(Text))
    return badInput(fmt::format("'{}' was edited since cufuse has written it", Path),
                    "choose another name for the output, or remove it: what was edited is lost then");
  // Root may write to it all the same.
  const auto Allowed = llvm::sys::fs::getPermissions(Path);
  if (!llvm::sys::fs::can_write(Path) || (Allowed && !(*Allowed & llvm::sys::fs::all_write)))
    return badInput(fmt::format("'{}' is protected from writing", Path),
                    "choose another name for the output, or allow writing to it");
  return llvm::Error::success();
}

llvm::Error checkReplaced(const std::string &Output) {
  auto IsOurs = [](llvm::StringRef Text) { return hasExpectation(Text) || isLaunchersHeader(Text); };
  for (const std::string &Path : {Output, headerOf(Output)})
    TRY(checkReplaced(Path, IsOurs));
  return llvm::Error::success();
}

llvm::Error checkReplaced(const std::string &Path, llvm::ArrayRef<llvm::StringRef> Begins) {
  return checkReplaced(Path, [&](llvm::StringRef Text) {
    return llvm::any_of(Begins, [&](llvm::StringRef Begin) { return Text.starts_with(Begin); });
  });
}

/// A header of that name must be found by all who include it.
static llvm::Error checkHidden(const std::string &Prelude, llvm::ArrayRef<LoadedKernel> Kernels) {
  const llvm::StringRef Name = llvm::sys::path::filename(Prelude);
  std::vector<std::string> Found;
  for (const LoadedKernel &Kernel : Kernels) {
    for (const std::string &File : Kernel.Text.Dependencies)
      if (llvm::sys::path::filename(File) == Name)
        Found.push_back(File);
    for (llvm::StringRef Folder : Kernel.Predefined ? Kernel.Predefined->Folders : std::vector<std::string>()) {
      Folder.consume_front("-iquote") || Folder.consume_front("-isystem") || Folder.consume_front("-I");
      Found.push_back(within(Folder.str(), Name));
    }
  }
  for (const std::string &File : Found)
    if (llvm::sys::fs::exists(File) && !llvm::sys::fs::equivalent(File, Prelude))
      return badUsage(fmt::format("'{}' would hide {}", Prelude, File), "choose another name for --prelude");
  return llvm::Error::success();
}

llvm::Error checkPaths(const FuseRequest &Request, llvm::ArrayRef<LoadedKernel> Kernels) {
  std::vector<std::string> Inputs = Request.OtherInputs;
  for (const LoadedKernel &Kernel : Kernels)
    llvm::append_range(Inputs, Kernel.Text.Dependencies);
  const std::string Prelude =
      Request.Prelude.empty() ? std::string() : within(folderOf(Request.Output), Request.Prelude);
  TRY(checkOutputs({Request.Output, headerOf(Request.Output), Prelude, Request.Depfile}, Inputs));
  TRY(Prelude.empty() ? llvm::Error::success() : checkHidden(Prelude, Kernels));
  TRY(checkReplaced(Prelude, isPrelude));
  TRY(checkReplaced(Request.Depfile, [&](llvm::StringRef Text) { return isDependencyRule(Text, Request.Output); }));
  return checkReplaced(Request.Output);
}

llvm::Error checkBeside(const FuseRequest &Request, const Fuser &Fuser, const FusedSource &Fused) {
  const std::string HeaderPath = headerOf(Request.Output);
  std::map<llvm::StringRef, llvm::StringRef> Paths;
  auto Add = [&](const std::vector<IncludeLine> &Lines) {
    for (const IncludeLine &Include : Lines)
      Paths.emplace(Include.Text, Include.Path);
  };
  for (const Constituent &C : Fuser.constituents()) {
    Add(C.Text->Includes);
    Add(C.Text->Libraries);
    for (const Piece &P : C.Text->Body)
      Add(P.Includes);
  }
  const std::string Header = llvm::sys::path::filename(HeaderPath).str();
  auto IsOurs = [&](llvm::StringRef Name) { return Name == Header || Name == Request.Prelude; };
  for (const auto &[Text, Path] : Paths)
    if (llvm::StringRef Name = Text;
        (Name.consume_front("#include \"") || Name.consume_front("#include <")) && IsOurs(Name.drop_back()))
      return badUsage(fmt::format("'{}' would be the header of the output, but the inputs include {} by that name",
                                  within(folderOf(Request.Output), Name.drop_back()), Path.str()),
                      "name the output otherwise with -o");
  for (llvm::StringRef Rest : {llvm::StringRef(Fused.Source), llvm::StringRef(Fused.Header)})
    while (!Rest.empty()) {
      llvm::StringRef Line;
      std::tie(Line, Rest) = Rest.split('\n');
      llvm::StringRef Name = Line = Line.trim();
      if (!Name.consume_front("#include \""))
        continue;
      Name = Name.split('"').first; // a comment may stand behind it
      Line = Line.take_front(Name.end() + 1 - Line.begin());
      if (IsOurs(Name))
        continue;
      const std::string Beside = within(folderOf(Request.Output), Name);
      if (llvm::sys::path::is_absolute(Name) || !llvm::sys::fs::exists(Beside))
        continue;
      std::string Meant = Paths.count(Line) ? Paths[Line].str() : "";
      for (const std::string &Folder : Fuser.includeFolders())
        if (const std::string Found = within(Folder, Name); Meant.empty() && llvm::sys::fs::exists(Found))
          Meant = Found;
      if (!llvm::sys::fs::equivalent(Beside, Meant))
        return badInput(
            fmt::format("the output's {} would find {}{}", Line.str(), Beside, Meant.empty() ? "" : ", not " + Meant),
            "write the output to another folder with -o");
    }
  return llvm::Error::success();
}

} // namespace cufuse
