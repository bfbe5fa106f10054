#include "cufuse/Launches/HostLaunches.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

bool keeps(clang::QualType From, clang::QualType To, const clang::ASTContext &Context) {
  if (!From->isIntegralOrEnumerationType() || !To->isIntegralOrEnumerationType() || To->isBooleanType())
    return From->isBooleanType() && To->isBooleanType();
  const bool OfSigned = From->isSignedIntegerOrEnumerationType(), IsSigned = To->isSignedIntegerOrEnumerationType();
  const auto Bits = Context.getIntWidth(From), Room = Context.getIntWidth(To);
  return Room >= 64 || (OfSigned == IsSigned ? Room >= Bits : IsSigned && Room > Bits);
}

std::string kernelName(const clang::FunctionDecl &Kernel) {
  const clang::ASTContext &Context = Kernel.getASTContext();
  const std::string Mangled = clang::ASTNameGenerator(const_cast<clang::ASTContext &>(Context)).getName(&Kernel);
  const clang::FunctionDecl *Text = Kernel.getTemplateInstantiationPattern();
  Text = Text ? Text->getDefinition() : Kernel.getDefinition();
  if (!Text)
    return Mangled;
  const clang::SourceManager &Sources = Context.getSourceManager();
  return fmt::format("{}@{}", Mangled, Sources.getFilename(Sources.getExpansionLoc(Text->getLocation())).str());
}

bool mayUse(const clang::FunctionDecl &Kernel, clang::QualType Held, bool Loads) {
  return llvm::any_of(Kernel.parameters(), [&](const clang::ParmVarDecl *P) {
    const clang::QualType To = P->getType()->getPointeeType();
    if (To.isNull())
      return Held->isArithmeticType() && P->getType()->isRecordType();
    return (Loads || !To.isConstQualified()) &&
           (Held->isArithmeticType() || To->isVoidType() ||
            Held.getCanonicalType().getUnqualifiedType() == To.getCanonicalType().getUnqualifiedType());
  });
}

} // namespace cufuse
