// What expressions look like in Clang's tree.
#pragma once

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

#include <map>

namespace cufuse {

/// Without parentheses and what keeps temporaries alive.
const clang::Expr *plain(const clang::Expr *E);

/// The variable that an expression is the name of; else null, as for null.
inline const clang::VarDecl *variableNamed(const clang::Expr *E) {
  auto *Reference = llvm::dyn_cast_or_null<clang::DeclRefExpr>(E);
  return Reference ? llvm::dyn_cast<clang::VarDecl>(Reference->getDecl()) : nullptr;
}

/// May what a parameter of the type is given be changed through it?
inline bool changesArgument(clang::QualType T) {
  return T->isLValueReferenceType() && !T.getNonReferenceType().isConstQualified();
}

/// Null for what `...` takes, and where the callee is not known.
inline clang::QualType typeOfParameter(const clang::FunctionDecl *Callee, unsigned I) {
  return Callee && I < Callee->getNumParams() ? Callee->getParamDecl(I)->getType() : clang::QualType();
}

/// Variables that stand anywhere in `S` but where they are only read, with how often: assigned, counted, or handed on
/// by reference or address.
std::map<const clang::VarDecl *, unsigned> assignedIn(const clang::Stmt *S);

} // namespace cufuse
