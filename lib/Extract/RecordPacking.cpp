#include "TextParts.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <fmt/core.h>

namespace cufuse {

namespace {

struct Records : clang::ConstDynamicRecursiveASTVisitor {
  std::set<unsigned> Bytes;
  bool VisitRecordDecl(const clang::RecordDecl *Record) override {
    if (!Record->isThisDeclarationADefinition() || Record->isImplicit() || Record->isLambda())
      return true;
    const auto *Packing = Record->getAttr<clang::MaxFieldAlignmentAttr>();
    Bytes.insert(Packing ? Packing->getAlignment() / Record->getASTContext().getCharWidth() : 0);
    return true;
  }
};

} // namespace

std::set<unsigned> recordPacking(const clang::Decl &D) {
  Records Found;
  Found.TraverseDecl(&D);
  return std::move(Found.Bytes);
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
