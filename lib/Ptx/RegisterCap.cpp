#include "cufuse/Ptx/RegisterCap.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>

namespace cufuse {

llvm::Expected<std::string> withRegisterCap(llvm::StringRef Ptx, llvm::StringRef Entry, const RegisterCap &Cap) {
  if (Cap.MinBlocks == 0 && Cap.MaxRegisters == 0)
    return Ptx.str();
  constexpr llvm::StringLiteral Keyword(".entry ");
  size_t Head = llvm::StringRef::npos;
  unsigned Found = 0;
  for (size_t At = Ptx.find(Keyword); At != llvm::StringRef::npos; At = Ptx.find(Keyword, At + 1))
    if (Ptx.substr(At + Keyword.size()).ltrim().starts_with(Entry)) {
      Head = At;
      ++Found;
    }
  if (Found != 1)
    return defect(fmt::format("{} entries of the PTX begin with '{}'", Found, Entry.str()));
  // `.entry name(parameters)`, a line for each directive, `{`. Parameters hold no braces.
  const size_t Body = Ptx.find('{', Head);
  const size_t Directives = Ptx.substr(0, Body).rfind(')');
  if (Body == llvm::StringRef::npos || Directives == llvm::StringRef::npos || Directives < Head)
    return defect("an entry of the PTX has no body");
  std::string Kept;
  bool HasThreads = false;
  llvm::StringRef Lines = Ptx.slice(Directives + 1, Body);
  while (!Lines.empty()) {
    llvm::StringRef Line;
    std::tie(Line, Lines) = Lines.split('\n');
    const bool IsThreads = Line.ltrim().starts_with(".maxntid");
    HasThreads |= IsThreads;
    // __maxnreg__ stands alone in CUDA.
    if (Line.trim().empty() || Line.ltrim().starts_with(".minnctapersm") || Line.ltrim().starts_with(".maxnreg") ||
        (IsThreads && Cap.MaxRegisters))
      continue;
    Kept += (Line + "\n").str();
  }
  if (Cap.MinBlocks && !HasThreads)
    return defect("a bound on resident blocks needs the number of threads, and the PTX has none");
  Kept +=
      Cap.MinBlocks ? fmt::format(".minnctapersm {}\n", Cap.MinBlocks) : fmt::format(".maxnreg {}\n", Cap.MaxRegisters);
  return (Ptx.take_front(Directives + 1) + "\n" + Kept + Ptx.drop_front(Body)).str();
}

} // namespace cufuse
