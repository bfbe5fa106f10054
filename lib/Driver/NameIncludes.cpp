#include "Parts.h"

#include "cufuse/Support/FileStore.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <set>

namespace cufuse {

namespace {

bool isAnother(const std::string &File, const std::string &Than) {
  return llvm::sys::fs::exists(File) && !llvm::sys::fs::equivalent(File, Than);
}

/// Where the output's build looks for headers.
struct HeaderFolders {
  std::vector<std::string> OfKernels;         ///< In any order.
  std::set<std::vector<std::string>> OfFlags; ///< Of each kernel, in the compiler's order.

  explicit HeaderFolders(llvm::ArrayRef<LoadedKernel> Kernels) {
    for (const LoadedKernel &Kernel : Kernels) {
      if (const std::string Folder = folderOf(Kernel.Spec.File); !llvm::is_contained(OfKernels, Folder))
        OfKernels.push_back(Folder);
      std::vector<std::string> Own;
      for (llvm::StringRef Option : {"-iquote", "-I", "-isystem", "-idirafter"})
        for (size_t I = 0; I + 1 < Kernel.Flags.Clang.size(); ++I)
          if (Kernel.Flags.Clang[I] == Option)
            Own.push_back(Kernel.Flags.Clang[I + 1]);
      OfFlags.insert(std::move(Own));
    }
  }
  bool mayMeanAnother(llvm::StringRef Name, const std::string &Than) const {
    auto IsKnown = [&](const std::string &Folder) { return llvm::sys::fs::exists(within(Folder, Name)); };
    auto HasAnother = [&](const std::string &Folder) { return isAnother(within(Folder, Name), Than); };
    return llvm::any_of(OfKernels, HasAnother) || llvm::any_of(OfFlags, [&](const std::vector<std::string> &Own) {
             const auto First = llvm::find_if(Own, IsKnown);
             return First != Own.end() && HasAnother(*First);
           });
  }
};

/// From one of the folders, where that means the file; "" where it is in none.
std::string nameInside(const HeaderFolders &Folders, const std::string &Path) {
  llvm::SmallString<128> File;
  std::vector<std::string> All = Folders.OfKernels;
  for (const std::vector<std::string> &Own : Folders.OfFlags)
    llvm::append_range(All, Own);
  for (const std::string &Folder : All)
    if (llvm::SmallString<128> Real; !llvm::sys::fs::real_path(Folder, Real) && !llvm::sys::fs::real_path(Path, File))
      if (llvm::StringRef Name = File;
          Name.consume_front(Real) && Name.consume_front("/") && !Folders.mayMeanAnother(Name, Path))
        return Name.str();
  return "";
}

/// As short as it can be, from the folder where `Path` is called `Name`; "" where there is none.
std::string nameAmong(const HeaderFolders &Folders, llvm::StringRef Name, const std::string &Path) {
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
    if (!Folders.mayMeanAnother(Named, Path))
      return isAnother(within(From, Named), Path) ? "" : Named;
    if (Rest == llvm::sys::path::root_path(Rest))
      return "";
    Up += "../";
    Longer = fmt::format("{}/{}", llvm::sys::path::filename(Rest).str(), Longer);
    Rest = llvm::sys::path::parent_path(Rest);
  }
}

/// Every line, in the text, too, becomes what it is renamed to.
void rename(LoadedKernel &Kernel, llvm::function_ref<std::string(const IncludeLine &)> Renamed) {
  for (IncludeLine &Line : Kernel.Text.Includes)
    Line.Text = Renamed(Line);
  for (Piece &P : Kernel.Text.Body)
    for (IncludeLine &Line : P.Includes)
      if (const std::string Text = Renamed(Line); Text != Line.Text) {
        renameInclude(P, Line.Text, Text);
        Line.Text = Text;
      }
}

} // namespace

void nameWhole(LoadedKernel &Kernel) {
  rename(Kernel, [&](const IncludeLine &Line) {
    llvm::StringRef Name = Line.Text;
    llvm::SmallString<128> Path(Line.Path);
    const bool IsBeside = Name.consume_front("#include \"") && Name.consume_back("\"") &&
                          llvm::sys::fs::equivalent(within(folderOf(Kernel.Spec.File), Name), Path) &&
                          !llvm::sys::fs::make_absolute(Path);
    llvm::sys::path::remove_dots(Path);
    return IsBeside ? fmt::format("#include \"{}\"", Path.str().str()) : Line.Text;
  });
}

void nameIncludes(llvm::MutableArrayRef<LoadedKernel> Kernels) {
  const HeaderFolders Folders(Kernels);
  std::set<std::string> Others; // for which the output's build may find another file
  for (LoadedKernel &Kernel : Kernels)
    rename(Kernel, [&](const IncludeLine &Line) {
      llvm::StringRef Name = Line.Text;
      if (!Name.consume_front("#include \"") || !Name.consume_back("\""))
        return Line.Text;
      if (llvm::sys::path::is_absolute(Name)) { // of a header that another one includes, and that is copied
        const std::string Inside = nameInside(Folders, Line.Path);
        return Inside.empty() ? Line.Text : fmt::format("#include \"{}\"", Inside);
      }
      if (!Folders.mayMeanAnother(Name, Line.Path))
        return Line.Text;
      if (const std::string Known = nameAmong(Folders, Name, Line.Path); !Known.empty())
        return fmt::format("#include \"{}\"", Known);
      Others.insert(Line.Text);
      return Line.Text;
    });
  // What has two names is included by the first.
  std::vector<IncludeLine> Known;
  for (LoadedKernel &Kernel : Kernels)
    rename(Kernel, [&](const IncludeLine &Line) {
      const auto Same = llvm::find_if(Known, [&](const IncludeLine &Each) {
        return llvm::StringRef(Line.Text).ends_with("\"") && Each.isReadLike(Line) &&
               llvm::sys::fs::equivalent(Each.Path, Line.Path);
      });
      if (Same != Known.end())
        return Same->Text;
      Known.push_back(Line);
      return Line.Text;
    });
  for (LoadedKernel &Kernel : Kernels) {
    for (IncludeLine &Line : Kernel.Text.Includes)
      Line.MayBeAnother = Others.contains(Line.Text);
    for (const Piece &P : Kernel.Text.Body)
      for (const IncludeLine &Line : P.Includes)
        if (Others.contains(Line.Text))
          Kernel.Facts.Blockers.push_back(
              {BlockerKind::IncludeClash, Line.Where, fmt::format("{} is {}", Line.Text, Line.Path)});
  }
}

} // namespace cufuse
