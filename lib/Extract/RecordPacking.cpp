#include "TextParts.h"

#include "cufuse/Reach/AllIn.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <fmt/core.h>

namespace cufuse {

std::set<unsigned> recordPacking(const clang::Decl &D) {
  std::set<unsigned> Bytes;
  for (const auto *Record : allIn<clang::RecordDecl>(D))
    if (Record->isThisDeclarationADefinition() && !Record->isImplicit() && !Record->isLambda()) {
      const auto *Packing = Record->getAttr<clang::MaxFieldAlignmentAttr>();
      Bytes.insert(Packing ? Packing->getAlignment() / Record->getASTContext().getCharWidth() : 0);
    }
  return Bytes;
}

void appendPacked(std::vector<Piece> &To, Piece P, const std::set<unsigned> &Packing) {
  const unsigned Bytes = Packing.empty() ? 0 : *Packing.rbegin();
  if (Bytes > 0)
    To.push_back({Piece::Kind::Macro, {}, fmt::format("#pragma pack(push, {})", Bytes)});
  To.push_back(std::move(P));
  if (Bytes > 0)
    To.push_back({Piece::Kind::Macro, {}, "#pragma pack(pop)"});
}

} // namespace cufuse
