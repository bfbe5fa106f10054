#include "EditLinked.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <fmt/core.h>

namespace cufuse {

namespace {

class Pointers : public clang::ConstDynamicRecursiveASTVisitor {
public:
  /// What comes from one parameter comes from no other.
  Pointers(TextEdits &Edits, const clang::FunctionDecl &Kernel, const clang::ParmVarDecl *Parameter,
           const std::string &Name)
      : Text(Edits.Text), File(Text.offset(Kernel.getBody()->getBeginLoc()).first), Name(Name), Edits(Edits),
        Derived{Parameter} {
    TraverseStmt(Kernel.getBody());
  }

  bool VisitDeclStmt(const clang::DeclStmt *S) override {
    for (const clang::Decl *D : S->decls()) {
      auto *Variable = llvm::dyn_cast<clang::VarDecl>(D);
      if (!Variable || !Variable->getInit() || !isDerived(Variable->getInit()) || !S->isSingleDecl() ||
          Variable->getBeginLoc().isMacroID() || Variable->getLocation().isMacroID())
        continue;
      Derived.insert(Variable);
      const unsigned Begin = at(Variable->getBeginLoc());
      replace(Variable->getBeginLoc(), at(Variable->getLocation()) - Begin, "const auto ");
    }
    return true;
  }

  bool VisitExplicitCastExpr(const clang::ExplicitCastExpr *Cast) override {
    if (Cast->getCastKind() != clang::CK_BitCast || !isDerived(Cast->getSubExpr()) || Cast->getBeginLoc().isMacroID() ||
        Cast->getEndLoc().isMacroID())
      return true;
    if (auto *Named = llvm::dyn_cast<clang::CXXNamedCastExpr>(Cast)) {
      const unsigned Begin = at(Cast->getBeginLoc()), Less = at(Named->getAngleBrackets().getBegin()),
                     Greater = at(Named->getAngleBrackets().getEnd());
      replace(Cast->getBeginLoc(), Greater + 1 - Begin, as(Less + 1, Greater));
    } else if (auto *Written = llvm::dyn_cast<clang::CStyleCastExpr>(Cast)) {
      const unsigned Open = at(Written->getLParenLoc()), Close = at(Written->getRParenLoc());
      replace(Written->getLParenLoc(), Close + 1 - Open, as(Open + 1, Close) + "(");
      replace(Text.end(Cast->getEndLoc()), 0, ")");
    }
    return true;
  }

  bool VisitUnaryOperator(const clang::UnaryOperator *E) override {
    if (E->getOpcode() != clang::UO_AddrOf)
      return true;
    auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E->getSubExpr()->IgnoreParens());
    if (!Element || !isDerived(Element->getBase()) || E->getBeginLoc().isMacroID() ||
        Element->getBeginLoc().isMacroID() || Element->getEndLoc().isMacroID())
      return true;
    const unsigned Close = at(Element->getRBracketLoc());
    for (const TextToken &Token : Text.tokensIn({File, Text.end(Element->getBase()->getEndLoc()).second, Close}))
      if (Token.is("[")) {
        replace(E->getBeginLoc(), 1, "(");
        replace({Text.offset(E->getBeginLoc()).first, Token.Offset}, 1, " + (");
        replace(Element->getRBracketLoc(), 1, "))");
        break;
      }
    return true;
  }

private:
  void replace(TextPlace At, unsigned Length, std::string By) {
    Edits.All.push_back({At, Length, std::move(By), Edit::When::Linked, Name});
  }
  void replace(clang::SourceLocation At, unsigned Length, std::string By) {
    replace(Text.offset(At), Length, std::move(By));
  }
  unsigned at(clang::SourceLocation Where) const { return Text.offset(Where).second; }
  /// The text of a pointer type, for what it points to.
  std::string as(unsigned Begin, unsigned End) const {
    const llvm::StringRef Type = Text.buffer(File).slice(Begin, End);
    return fmt::format("cufuse_as<{}>", Type.substr(0, Type.rfind('*')).trim().str());
  }

  bool isDerived(const clang::Expr *E) const {
    E = E->IgnoreParenImpCasts();
    if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E)) {
      auto *Variable = llvm::dyn_cast<clang::VarDecl>(Reference->getDecl());
      return Variable && Derived.count(Variable);
    }
    if (!E->getType()->isPointerType())
      return false;
    if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E))
      return Binary->isAdditiveOp() && isDerived(Binary->getLHS());
    if (auto *Cast = llvm::dyn_cast<clang::ExplicitCastExpr>(E))
      return isDerived(Cast->getSubExpr());
    if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E); Unary && Unary->getOpcode() == clang::UO_AddrOf)
      if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(Unary->getSubExpr()->IgnoreParens()))
        return isDerived(Element->getBase());
    return false;
  }

  SourceText &Text;
  const clang::FileID File; ///< Of the body.
  const std::string &Name;
  TextEdits &Edits;
  std::set<const clang::VarDecl *> Derived;
};

} // namespace

void editLinkedPointers(TextEdits &Edits, const clang::FunctionDecl &Kernel, llvm::ArrayRef<std::string> Names) {
  for (size_t I = 0; I < Names.size(); ++I)
    if (Kernel.getParamDecl(I)->getType()->isPointerType())
      Pointers(Edits, Kernel, Kernel.getParamDecl(I), Names[I]);
}

} // namespace cufuse
