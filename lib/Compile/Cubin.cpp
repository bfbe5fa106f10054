#include "cufuse/Compile/Cubin.h"

#include "cufuse/Support/Error.h"
#include "cufuse/Support/FileStore.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/ELF.h>

#include <vector>

namespace cufuse {

namespace {

/// In `st_other`: a kernel, as in the symbols that cuobjdump and readelf show.
constexpr unsigned char Entry = 0x10;

llvm::Expected<std::vector<std::string>> entries(llvm::StringRef Bytes) {
  auto File = TRY(llvm::object::ELF64LEFile::create(Bytes));
  auto Sections = TRY(File.sections());
  std::vector<std::string> Names;
  for (const auto &Section : Sections) {
    if (Section.sh_type != llvm::ELF::SHT_SYMTAB)
      continue;
    auto Symbols = File.symbols(&Section);
    auto Strings = File.getStringTableForSymtab(Section);
    if (!Symbols || !Strings)
      return llvm::joinErrors(Symbols.takeError(), Strings.takeError());
    for (const auto &Symbol : *Symbols) {
      if (Symbol.getType() != llvm::ELF::STT_FUNC || !(Symbol.st_other & Entry))
        continue;
      Names.push_back(TRY(Symbol.getName(*Strings)).str());
    }
  }
  return Names;
}

} // namespace

llvm::Expected<std::string> entryName(const std::string &Cubin, const std::string &Mangled) {
  auto Bytes = TRY(textOfFile(Cubin));
  auto Names = entries(Bytes);
  if (!Names)
    return badInput(fmt::format("'{}' is no cubin: {}", Cubin, llvm::toString(Names.takeError())));
  std::vector<std::string> Found;
  for (const std::string &Name : *Names) {
    if (Name == Mangled)
      return Name;
    // Demangled, both read `(anonymous namespace)::kern(int*)`.
    if (llvm::demangle(Name) == llvm::demangle(Mangled))
      Found.push_back(Name);
  }
  if (Found.size() == 1)
    return Found[0];
  const std::string Wanted = llvm::demangle(Mangled);
  if (Found.empty())
    return badInput(fmt::format("the compiled file has no kernel {}", Wanted),
                    "a template must be instantiated in its file, as by a launch; there are " +
                        (Names->empty() ? std::string("none") : llvm::join(*Names, ", ")));
  return badInput(fmt::format("the compiled file has {} kernels {}", Found.size(), Wanted),
                  "give them different names");
}

} // namespace cufuse
