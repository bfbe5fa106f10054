#include "cufuse/Frontend/ForeignMacros.h"

#include "cufuse/Frontend/RawTokens.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

std::set<std::string> foreignMacros(const KernelText &Own, llvm::ArrayRef<Piece> Pieces,
                                    llvm::ArrayRef<const KernelText *> All) {
  std::set<std::string> Names;
  llvm::StringSet<> Seen;
  if (llvm::all_of(All, [&](const KernelText *Text) { return Text == &Own; }))
    return Names;
  for (const Piece &P : Pieces)
    for (const RawToken &Token : rawTokens(P.Text.written()))
      if (Token.IsIdentifier && Seen.insert(Token.Spelling).second && !Own.OutsideMacros.contains(Token.Spelling) &&
          llvm::any_of(All, [&](const KernelText *Text) { return Text->OutsideMacros.contains(Token.Spelling); }))
        Names.insert(Token.Spelling);
  return Names;
}

} // namespace cufuse
