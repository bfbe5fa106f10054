#include "Evaluate.h"

#include "Expressions.h"

#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>

namespace cufuse {

bool leadsToPointer(clang::QualType T, unsigned Depth) {
  T = clang::QualType(T.getCanonicalType()->getBaseElementTypeUnsafe(), 0);
  if (T->isPointerType() || T->isReferenceType())
    return true;
  const clang::CXXRecordDecl *Record = T->getAsCXXRecordDecl();
  if (!Record)
    return false;
  if (!Record->hasDefinition() || Depth > 8)
    return true;
  return std::any_of(Record->field_begin(), Record->field_end(),
                     [&](const clang::FieldDecl *F) { return leadsToPointer(F->getType(), Depth + 1); }) ||
         std::any_of(Record->bases_begin(), Record->bases_end(),
                     [&](const clang::CXXBaseSpecifier &B) { return leadsToPointer(B.getType(), Depth + 1); });
}

/// Do copying and assigning mean what the compiler makes of them, for all of the user's types in it?
static bool copiesPlainly(clang::QualType T, const clang::SourceManager &Sources) {
  T = clang::QualType(T.getCanonicalType()->getBaseElementTypeUnsafe(), 0);
  const clang::CXXRecordDecl *Record = T->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition() || !inUsersFile(Record, Sources))
    return true;
  auto Written = [](const clang::CXXMethodDecl *M) {
    auto *Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(M);
    return M->isUserProvided() &&
           (M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator() || llvm::isa<clang::CXXDestructorDecl>(M) ||
            (Constructor && Constructor->isCopyOrMoveConstructor()));
  };
  return std::none_of(Record->method_begin(), Record->method_end(), Written) &&
         std::all_of(Record->field_begin(), Record->field_end(),
                     [&](const clang::FieldDecl *F) { return copiesPlainly(F->getType(), Sources); }) &&
         std::all_of(Record->bases_begin(), Record->bases_end(),
                     [&](const clang::CXXBaseSpecifier &B) { return copiesPlainly(B.getType(), Sources); });
}

bool keepsInVariable(clang::QualType T, const clang::SourceManager &Sources) {
  const clang::CXXRecordDecl *Record = T->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition())
    return true;
  if (!Record->needsImplicitDefaultConstructor() &&
      std::none_of(Record->ctor_begin(), Record->ctor_end(), [](const clang::CXXConstructorDecl *C) {
        return C->isDefaultConstructor() && !C->isDeleted() && C->getAccess() == clang::AS_public &&
               (!C->isUserProvided() || C->isConstexpr() || C->hasAttr<clang::CUDADeviceAttr>());
      }))
    return false;
  if (!Record->hasSimpleCopyAssignment() && llvm::none_of(Record->methods(), [](const clang::CXXMethodDecl *M) {
        return M->isCopyAssignmentOperator() && !M->isDeleted() && M->getAccess() == clang::AS_public;
      }))
    return false;
  return copiesPlainly(T, Sources);
}

Evaluator::Place Evaluator::elementOf(const clang::Expr *Pointer, const clang::Expr *Index, const clang::Expr *At) {
  const Value Base = eval(Pointer);
  const Value Offset = Index ? eval(Index) : Value{Value::Kind::Integer, {}, nullptr, false};
  Place P;
  P.At = At;
  if (Base.What != Value::Kind::Pointer) {
    if (Index)
      use(Offset, Index);
    if (Base.What == Value::Kind::Local)
      return P;
    // Local and shared arrays are no arguments' memory; other pointers may lead to it.
    const clang::Expr *Array = plain(Pointer);
    auto *Decay = llvm::dyn_cast<clang::CastExpr>(Array);
    if (!Decay || Decay->getCastKind() != clang::CK_ArrayToPointerDecay)
      unfollowed("an access through a pointer that is no parameter: " + text(At), At->getBeginLoc());
    return P;
  }
  P.Base = Base.Base;
  P.Direct = Base.Direct;
  P.Width = Base.Width;
  if (Offset.What == Value::Kind::Integer)
    P.Index = Base.P + (Index ? converted(Offset.P, Index->getType(), Context.getPointerDiffType()) : Offset.P) *
                           Polynomial::constant(Base.Width);
  return P;
}

std::optional<Evaluator::Place> Evaluator::place(const clang::Expr *E) {
  E = plain(E);
  if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(E); Cast && Cast->getCastKind() == clang::CK_NoOp)
    return place(Cast->getSubExpr());
  if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E)) {
    std::optional<Place> P = elementOf(Element->getBase(), Element->getIdx(), E);
    if (P && !Element->getLHS()->getType()->isPointerType()) // `i[p]`
      P->Direct = false;
    return P;
  }
  if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E); Unary && Unary->getOpcode() == clang::UO_Deref)
    return elementOf(Unary->getSubExpr(), nullptr, E);
  if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E);
      Member && llvm::isa<clang::FieldDecl>(Member->getMemberDecl())) {
    std::optional<Place> Inner =
        Member->isArrow() ? elementOf(Member->getBase(), nullptr, E) : place(Member->getBase());
    if (Inner)
      Inner->Whole = false;
    return Inner;
  }
  return std::nullopt;
}

/// A pointer to another type: to whole numbers of elements, it is followed.
Value Evaluator::reinterpreted(const Value &V, const clang::CastExpr *Cast) {
  const clang::QualType To = Cast->getType()->getPointeeType();
  if (V.What == Value::Kind::Local)
    return V;
  if (V.What != Value::Kind::Pointer || To.isNull() || To->isIncompleteType() || To.isVolatileQualified())
    return used({{&V, Cast->getSubExpr()}});
  const auto Bytes = Context.getTypeSize(V.Base->getType()->getPointeeType()), Wide = Context.getTypeSize(To);
  if (Bytes == 0 || Wide % Bytes != 0)
    return used({{&V, Cast->getSubExpr()}});
  Value Result = V;
  Result.Width = Wide / Bytes;
  Result.Direct &= llvm::isa<clang::ExplicitCastExpr>(Cast) && !Cast->getBeginLoc().isMacroID() &&
                   !Cast->getEndLoc().isMacroID() && Wide > Bytes;
  return Result;
}

} // namespace cufuse
