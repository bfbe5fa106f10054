#include "cufuse/Frontend/ReadFiles.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Serialization/ASTReader.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>

#include <set>

namespace cufuse {

std::vector<std::string> libraryHeaders(const ParsedUnit &Unit) {
  std::set<std::string> Paths;
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  for (auto File = Sources.fileinfo_begin(); File != Sources.fileinfo_end(); ++File)
    Paths.insert(File->first.getName().str());
  if (auto *Reader = llvm::dyn_cast_or_null<clang::ASTReader>(Unit.ast().getExternalSource()))
    for (clang::serialization::ModuleFile &Precompiled : Reader->getModuleManager())
      Reader->visitInputFiles(Precompiled, /*IncludeSystem=*/true, /*Complain=*/false,
                              [&](const clang::serialization::InputFile &File, bool) {
                                if (const auto Entry = File.getFile())
                                  Paths.insert(Entry->getName().str());
                              });
  for (const std::string &Users : Unit.dependencies())
    Paths.erase(Users);
  std::vector<std::string> Found;
  llvm::copy_if(Paths, std::back_inserter(Found), [](const std::string &Path) { return llvm::sys::fs::exists(Path); });
  return Found;
}

} // namespace cufuse
