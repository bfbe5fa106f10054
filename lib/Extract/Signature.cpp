#include "Signature.h"

#include "SpellType.h"

#include <clang/AST/Attr.h>
#include <fmt/core.h>

namespace cufuse {

/// The parameter, with this type; nothing where that cannot be spelled.
static std::optional<ParameterSpelling> spelling(const ParsedUnit &Unit, const clang::ParmVarDecl &Parameter,
                                                 clang::QualType Type,
                                                 llvm::function_ref<bool(const clang::Decl *)> Copied) {
  const clang::ASTContext &Context = Unit.ast();
  const bool GridConstant = Parameter.hasAttr<clang::CUDAGridConstantAttr>();
  clang::QualType Plain = Type;
  Plain.removeLocalConst();
  Plain.removeLocalRestrict();
  if (GridConstant)
    Type.removeLocalConst();
  auto Declaration = spellType(Context, Type, OutputText::Slot::Name, Copied);
  auto Field = spellType(Context, Plain, OutputText::Slot::Name, Copied);
  if (!Declaration || !Field)
    return std::nullopt;
  if (GridConstant)
    *Declaration = "const __grid_constant__ " + *Declaration;
  std::optional<OutputText> Element = OutputText();
  if (Type->isPointerType() && !Type->getPointeeType()->isFunctionType())
    Element = spellType(Context, Type->getPointeeType().getUnqualifiedType(), "", Copied);
  return ParameterSpelling{std::move(*Declaration), std::move(*Field), Element.value_or(OutputText())};
}

llvm::SetVector<const clang::Decl *> takeSignature(const ParsedUnit &Unit, const Reached &Reach,
                                                   const KernelFacts &Facts, const SelectCopied &Chosen,
                                                   KernelText &To) {
  llvm::SetVector<const clang::Decl *> Names;
  const clang::FunctionDecl &Kernel = *Reach.Kernel;
  auto Copied = [&](const clang::Decl *D) {
    Names.insert(D);
    return Chosen.copies(D);
  };
  for (size_t I = 0; I < Kernel.getNumParams(); ++I) {
    const clang::ParmVarDecl *Parameter = Kernel.getParamDecl(I);
    const clang::QualType Type = Parameter->getType(), Canonical = Type.getCanonicalType();
    if (Type->isReferenceType())
      continue; // a blocker already
    auto Written = spelling(Unit, *Parameter, Type, Copied);
    // Not by its typedef either: nvcc writes it out.
    const auto Plain = spellType(Unit.ast(), Canonical, "", Copied); // Its names are needed, too.
    if (!Written || (Type->isFunctionPointerType() && !Plain)) {
      To.Blockers.push_back({BlockerKind::UnspellableParameter, Unit.place(Parameter->getLocation()),
                             fmt::format("{} {}", Facts.Parameters[I].Type, Facts.Parameters[I].Name)});
      continue;
    }
    To.Parameters.push_back({std::move(*Written), Facts.Parameters[I].Name});
    if (Plain && !Plain->has(OutputText::Slot::Path))
      To.Parameters.back().Common = spelling(Unit, *Parameter, Canonical, Copied);
  }
  To.Callee = namespacePath(Kernel) + Kernel.getNameAsString();
  if (const clang::TemplateArgumentList *Arguments = Kernel.getTemplateSpecializationArgs()) {
    auto Spelled = spellArguments(Unit.ast(), Arguments->asArray(), [&](auto *D) { return Chosen.copies(D); });
    if (!Spelled)
      To.Blockers.push_back({BlockerKind::UnspellableParameter, Unit.place(Kernel.getLocation()),
                             "a template argument of " + Facts.QualifiedName});
    else
      To.Callee += *Spelled;
  }
  return Names;
}

} // namespace cufuse
