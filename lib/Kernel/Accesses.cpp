#include "cufuse/Kernel/Accesses.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

std::string builtinAtom(Builtin B, int Dimension) {
  return fmt::format("{}.{}", BuiltinNames[static_cast<size_t>(B)], "xyz"[Dimension]);
}

bool isBuiltin(llvm::StringRef Atom) {
  return llvm::any_of(BuiltinNames, [Atom](llvm::StringRef Name) {
    return Atom.size() == Name.size() + 2 && Atom[Name.size()] == '.' && Atom.starts_with(Name);
  });
}

std::string AccessSite::str() const { return fmt::format("{} at {}", Text, Where.str()); }

} // namespace cufuse
