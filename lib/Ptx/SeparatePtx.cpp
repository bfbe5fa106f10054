#include "cufuse/Ptx/SeparatePtx.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

/// A directive on a line of its own, a comment, or nothing.
bool standsAlone(llvm::StringRef Line) {
  Line = Line.trim();
  return Line.empty() || Line.starts_with("//") ||
         llvm::any_of(llvm::ArrayRef({".version", ".target", ".address_size", ".file", ".pragma"}),
                      [&](const char *Directive) { return Line.starts_with(Directive); });
}

/// Takes what stands outside of functions from the front of `Ptx`: a line, or all up to the `;` or `}` that ends it.
/// `Head` is what comes before its braces. Null where it does not end.
llvm::StringRef takeItem(llvm::StringRef &Ptx, llvm::StringRef &Head) {
  const llvm::StringRef Begun = Ptx;
  unsigned Depth = 0;
  bool Braced = false;
  for (bool First = true; !Ptx.empty(); First = false) {
    llvm::StringRef Line;
    std::tie(Line, Ptx) = Ptx.split('\n');
    const auto SoFar = [&](const char *End) { return Begun.take_front(End - Begun.begin()); };
    if (First && standsAlone(Line)) {
      Head = Line;
      return SoFar(Ptx.empty() ? Begun.end() : Ptx.begin());
    }
    const llvm::StringRef Code = Line.split("//").first.rtrim();
    for (const char &C : Code) {
      if (C == '{' && !Braced) {
        Head = SoFar(&C);
        Braced = true;
      }
      if (C == '{' || C == '(')
        ++Depth;
      if ((C == '}' || C == ')') && Depth-- == 0)
        return {};
    }
    if (Depth == 0 && (Code.ends_with(";") || (Braced && Code.ends_with("}")))) {
      const llvm::StringRef Item = SoFar(Ptx.empty() ? Begun.end() : Ptx.begin());
      if (!Braced)
        Head = Item;
      return Item;
    }
  }
  return {};
}

} // namespace

std::vector<std::string> separatePtx(llvm::StringRef Ptx, llvm::ArrayRef<std::string> Marks) {
  std::vector<std::string> Texts(Marks.size());
  while (!Ptx.empty()) {
    llvm::StringRef Head;
    const llvm::StringRef Item = takeItem(Ptx, Head);
    // Debug information names everything; but for the strings, which stand alone.
    if (Item.empty() || (Head.ltrim().starts_with(".section") && !Head.contains(".debug_str")))
      return {};
    const bool Shared = llvm::none_of(Marks, [&](const std::string &Mark) { return Head.contains(Mark); });
    for (size_t I = 0; I < Marks.size(); ++I)
      if (Shared || Head.contains(Marks[I]))
        Texts[I] += Item;
  }
  return Texts;
}

} // namespace cufuse
