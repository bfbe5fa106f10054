#include "Parameters.h"

#include "cufuse/Facts/CollectFacts.h"
#include "cufuse/Reach/Declarations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>

namespace cufuse {

bool leadsToPointer(clang::QualType T) {
  return anyPart(T, [](clang::QualType Part) -> std::optional<bool> {
    const clang::CXXRecordDecl *Record = Part->getAsCXXRecordDecl();
    if (Part->isPointerType() || Part->isReferenceType() || (Record && !Record->hasDefinition()))
      return true;
    return std::nullopt;
  });
}

/// Do copying and assigning mean what the compiler makes of them, for all of the user's types in it?
static bool copiesPlainly(clang::QualType T) {
  auto Written = [](const clang::CXXMethodDecl *M) {
    auto *Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(M);
    return M->isUserProvided() &&
           (M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator() || llvm::isa<clang::CXXDestructorDecl>(M) ||
            (Constructor && Constructor->isCopyOrMoveConstructor()));
  };
  return !anyPart(T, [&](clang::QualType Part) -> std::optional<bool> {
    const clang::CXXRecordDecl *Record = Part->getAsCXXRecordDecl();
    if (!Record || !Record->hasDefinition() || !inUsersFile(Record))
      return false;
    return llvm::any_of(Record->methods(), Written) ? std::optional(true) : std::nullopt;
  });
}

/// Can a variable of the type be made without a value, and does copying it mean no more than copying its bytes? Types
/// of libraries are what they look like.
static bool keepsInVariable(clang::QualType T) {
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
  return copiesPlainly(T);
}

std::vector<ParameterAccess> parametersOf(const clang::FunctionDecl &Kernel) {
  const clang::ASTContext &Context = Kernel.getASTContext();
  const std::vector<std::string> Given = parameterNames(Kernel);
  const clang::FunctionDecl *Pattern = Kernel.getTemplateInstantiationPattern();
  auto OfPack = [&](const clang::ParmVarDecl *P) {
    return Pattern && llvm::any_of(Pattern->parameters(), [&](const clang::ParmVarDecl *Each) {
             return Each->isParameterPack() && Each->getLocation() == P->getLocation();
           });
  };
  auto HoldsIndex = [&](clang::QualType T) {
    return T->isIntegerType() && !T->isBooleanType() && !T->isEnumeralType() && !T->isBitIntType() &&
           (Context.getTypeSize(T) == 32 || Context.getTypeSize(T) == 64) && !T.isVolatileQualified();
  };
  std::vector<ParameterAccess> All;
  for (unsigned I = 0; I < Kernel.getNumParams(); ++I) {
    const clang::ParmVarDecl *P = Kernel.getParamDecl(I);
    const clang::QualType T = P->getType().getCanonicalType();
    ParameterAccess Known;
    Known.Name = Given[I];
    Known.Type = T.getUnqualifiedType().getAsString();
    Known.Integer = HoldsIndex(T) && !OfPack(P);
    Known.Unsigned = Known.Integer && T->isUnsignedIntegerType();
    Known.IsInt = Known.Integer && !Known.Unsigned && Context.getTypeSize(T) == 32;
    Known.Bits = Known.Integer ? Context.getTypeSize(T) : 0;
    Known.BuiltinType = (T->isPointerType() ? T->getPointeeType() : T)->isBuiltinType();
    // What a pack holds has no name in the text.
    const bool Followed = T->isPointerType() && !OfPack(P);
    Known.HidesPointers = !Followed && leadsToPointer(T);
    if (Followed) {
      const clang::QualType Element = T->getPointeeType();
      Known.Element = Element.getUnqualifiedType().getAsString();
      Known.Kept = keepsInVariable(Element);
      if (const clang::CXXRecordDecl *Record = Element->getAsCXXRecordDecl(); Record && Record->hasDefinition())
        Known.Constructed = !Record->hasTrivialDefaultConstructor();
      if (!Element->isIncompleteType() && !Element->isDependentType())
        Known.Bytes = Context.getTypeSizeInChars(Element).getQuantity();
      Known.Restrict = P->getType().isRestrictQualified();
      Known.ReadOnly = Element.isConstQualified();
      Known.Volatile = Element.isVolatileQualified();
    }
    All.push_back(std::move(Known));
  }
  return All;
}

} // namespace cufuse
