#include "cufuse/Driver/Depfile.h"

#include "cufuse/Frontend/ReadFiles.h"
#include "cufuse/Support/FileStore.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Regex.h>

#include <set>

namespace cufuse {

/// As a rule of Make names the file.
static std::string named(const std::string &Path) {
  std::string Text;
  for (char C : Path) {
    if (llvm::StringRef(" #:|").contains(C))
      Text += '\\';
    if (C == '$')
      Text += '$';
    Text += C;
  }
  return Text;
}

std::string dependencyRule(const FuseRequest &Request, llvm::ArrayRef<LoadedKernel> Kernels,
                           const std::string &Toolkit) {
  std::string Rule = named(Request.Output) + ":", OfLibraries;
  std::set<std::string> Seen = {""};
  auto Add = [&](llvm::ArrayRef<std::string> Files, bool OfLibrary = false) {
    for (const std::string &File : Files)
      if (bool IsDevice = false; !llvm::sys::fs::is_other(File, IsDevice) && !IsDevice && Seen.insert(File).second) {
        Rule += " \\\n  " + named(File);
        OfLibraries += OfLibrary ? named(File) + ":\n" : "";
      }
  };
  // Which every other version of the toolkit changes; the first one must not look like the value of a variable.
  Add(within(Toolkit, "include/cuda.h"), /*OfLibrary=*/true);
  for (const LoadedKernel &Kernel : Kernels)
    Add(Kernel.Text.Dependencies);
  Add(Request.OtherInputs);
  for (const KernelSpec &Kernel : Request.Kernels)
    Add(filesOfFlags(Kernel.File, Request.Flags.Written, Request.Flags.Folder, Request.Flags.BuildDirectory));
  const std::string Prelude = within(folderOf(Request.Output), Request.Prelude);
  if (!Request.Prelude.empty() && Seen.insert(Prelude).second) // it is made with the output where it is missing
    Rule += " \\\n  " + named(Prelude);
  for (const LoadedKernel &Kernel : Kernels) {
    if (Kernel.Parsed.Unit)
      Add(libraryHeaders(*Kernel.Parsed.Unit), /*OfLibrary=*/true);
    for (const ComposedPart &Part : Kernel.Parts)
      if (Part.Parsed.Unit)
        Add(libraryHeaders(*Part.Parsed.Unit), /*OfLibrary=*/true);
  }
  return Rule + "\n" + OfLibraries;
}

bool isDependencyRule(llvm::StringRef Text, const std::string &Output) {
  return Text.consume_front(named(Output) + ":") && llvm::Regex("^( \\\\\n  [^\n]+)*\n([^\n]+:\n)*$").match(Text);
}

} // namespace cufuse
