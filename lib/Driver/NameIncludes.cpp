#include "NameIncludes.h"

#include "cufuse/Support/FileStore.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace cufuse {

namespace {

bool isAnother(const std::string &File, const std::string &Than) {
  return llvm::sys::fs::exists(File) && !llvm::sys::fs::equivalent(File, Than);
}

/// As short as it can be, from the folder where `Path` is called `Name`; "" where there is none.
std::string nameAmong(llvm::ArrayRef<std::string> Folders, llvm::StringRef Name, const std::string &Path) {
  llvm::StringRef Written = Path;
  llvm::SmallString<128> From, Real;
  if (!Written.consume_back(Name))
    return "";
  From = Written.empty() ? "." : Written;
  if (llvm::sys::fs::real_path(From, Real))
    return "";
  std::string Up, Longer = Name.str();
  for (llvm::StringRef Rest = Real;;) {
    const std::string Named = Up + Longer;
    if (llvm::none_of(Folders, [&](const std::string &Folder) { return isAnother(within(Folder, Named), Path); }))
      return isAnother(within(From, Named), Path) ? "" : Named;
    if (Rest == llvm::sys::path::root_path(Rest))
      return "";
    Up += "../";
    Longer = fmt::format("{}/{}", llvm::sys::path::filename(Rest).str(), Longer);
    Rest = llvm::sys::path::parent_path(Rest);
  }
}

} // namespace

void nameIncludes(llvm::MutableArrayRef<LoadedKernel> Kernels) {
  std::vector<std::string> Folders;
  for (const LoadedKernel &Kernel : Kernels)
    if (const std::string Folder = folderOf(Kernel.Spec.File); !llvm::is_contained(Folders, Folder))
      Folders.push_back(Folder);
  for (LoadedKernel &Kernel : Kernels)
    for (IncludeLine &Line : Kernel.Text.Includes) {
      llvm::StringRef Name = Line.Text;
      if (!Name.consume_front("#include \"") || !Name.consume_back("\"") || llvm::sys::path::is_absolute(Name) ||
          llvm::none_of(Folders, [&](const std::string &Folder) { return isAnother(within(Folder, Name), Line.Path); }))
        continue;
      if (const std::string Known = nameAmong(Folders, Name, Line.Path); !Known.empty())
        Line.Text = fmt::format("#include \"{}\"", Known);
      else
        Kernel.Facts.Blockers.push_back(
            {BlockerKind::IncludeClash, Line.Where, fmt::format("{} is {}", Line.Text, Line.Path)});
    }
}

} // namespace cufuse
