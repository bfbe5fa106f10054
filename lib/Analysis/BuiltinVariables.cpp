#include "cufuse/Analysis/BuiltinVariables.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

namespace cufuse {

std::optional<Builtin> builtinVariable(const clang::ValueDecl &D) {
  if (!D.getIdentifier() || !D.getDeclContext()->getRedeclContext()->isTranslationUnit())
    return std::nullopt;
  for (size_t B = 0; B < BuiltinNames.size(); ++B)
    if (D.getName() == BuiltinNames[B])
      return static_cast<Builtin>(B);
  return std::nullopt;
}

std::optional<BuiltinMember> builtinMember(const clang::Expr *E) {
  if (auto *Object = llvm::dyn_cast<clang::PseudoObjectExpr>(E))
    E = Object->getSyntacticForm()->IgnoreParens();
  auto *Property = llvm::dyn_cast<clang::MSPropertyRefExpr>(E);
  if (!Property)
    return std::nullopt;
  const clang::Expr *Base = Property->getBaseExpr()->IgnoreParenImpCasts();
  if (auto *Opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(Base))
    Base = Opaque->getSourceExpr()->IgnoreParenImpCasts();
  auto *Named = llvm::dyn_cast<clang::DeclRefExpr>(Base);
  const std::optional<Builtin> Variable = Named ? builtinVariable(*Named->getDecl()) : std::nullopt;
  const llvm::StringRef Name = Property->getPropertyDecl()->getName();
  if (!Variable || Name.size() != 1 || Name[0] < 'x' || Name[0] > 'z')
    return std::nullopt;
  return BuiltinMember{*Variable, static_cast<unsigned>(Name[0] - 'x'), Named};
}

} // namespace cufuse
