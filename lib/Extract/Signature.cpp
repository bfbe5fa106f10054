#include "TextParts.h"

#include "SpellType.h"

#include "cufuse/Reach/Declarations.h"

#include <clang/AST/Attr.h>
#include <fmt/core.h>

namespace cufuse {

/// The parameter, with this type; nothing where that cannot be spelled.
static std::optional<ParameterSpelling> spelling(const ParsedUnit &Unit, const clang::ParmVarDecl &Parameter,
                                                 clang::QualType Type, const SelectCopied &Chosen) {
  const clang::ASTContext &Context = Unit.ast();
  const bool GridConstant = Parameter.hasAttr<clang::CUDAGridConstantAttr>();
  clang::QualType Plain = Type;
  Plain.removeLocalConst();
  Plain.removeLocalRestrict();
  if (GridConstant)
    Type.removeLocalConst();
  auto Declaration = spellType(Context, Type, OutputText::Slot::Name, Chosen);
  auto Field = spellType(Context, Plain, OutputText::Slot::Name, Chosen);
  if (!Declaration || !Field)
    return std::nullopt;
  if (GridConstant)
    *Declaration = "const __grid_constant__ " + *Declaration;
  std::optional<OutputText> Element = OutputText();
  if (Type->isPointerType() && !Type->getPointeeType()->isFunctionType())
    Element = spellType(Context, Type->getPointeeType().getUnqualifiedType(), "", Chosen);
  return ParameterSpelling{std::move(*Declaration), std::move(*Field), Element.value_or(OutputText())};
}

/// What stands for a parameter of a type that is copied, or that a launch copies by code.
static std::optional<OpaqueParameter> opaque(const ParsedUnit &Unit, const clang::ParmVarDecl &Parameter,
                                             ArgumentTypes &Types, const SelectCopied &Chosen) {
  const clang::QualType Type = Parameter.getType();
  clang::QualType Plain = Type.getCanonicalType(), Written = Type;
  for (clang::QualType *T : {&Plain, &Written}) {
    T->removeLocalConst();
    T->removeLocalRestrict();
  }
  const bool IsPointer = Plain->isObjectPointerType(), IsByCode = isCopiedByCode(Parameter);
  auto Field = IsByCode ? Types.bytes(Plain, OutputText::Slot::Name) : Types.declaration(Plain, OutputText::Slot::Name);
  auto Declaration = IsPointer ? Types.declaration(Type.getCanonicalType(), OutputText::Slot::Name) : Field;
  const bool IsOwn = IsByCode && !Parameter.hasAttr<clang::CUDAGridConstantAttr>() &&
                     (!Type.isConstQualified() || Type->getAsCXXRecordDecl()->hasMutableFields());
  std::optional<OutputText> Known;
  for (const clang::QualType T : {Plain, Written}) // maybe only by a typedef
    if (!Known)
      Known = spellType(Unit.ast(), IsPointer || IsOwn ? T : T.withConst(), IsPointer ? "" : "&", Chosen);
  if (!Field || !Declaration || !Known)
    return std::nullopt;
  if (!IsPointer)
    *Declaration = "const __grid_constant__ " + *Declaration;
  return OpaqueParameter{std::move(*Declaration), std::move(*Field), std::move(*Known), IsPointer, IsOwn};
}

/// For the device, it is a double.
static bool holdsLongDouble(clang::QualType Type) {
  return anyPart(Type, [](clang::QualType Part) {
    return Part->isSpecificBuiltinType(clang::BuiltinType::LongDouble) ? std::optional(true) : std::nullopt;
  });
}

/// Could an argument of another instance of its template be meant, which the launch converts? By its name, the launcher
/// does not know them from each other. A library's pairs take what converts member by member.
static bool isConverted(const clang::ASTContext &Context, clang::QualType Type) {
  auto *Record = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(Type->getAsCXXRecordDecl());
  auto LooksAlike = [&](clang::QualType Other) {
    return Other->isDependentType() || (Other->isRecordType() && !Other->isIncompleteType() &&
                                        Context.getTypeSize(Other) == Context.getTypeSize(Type));
  };
  return Record && inUsersFile(Record) && llvm::any_of(Record->decls(), [&](const clang::Decl *Member) {
           auto *Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(Member);
           const clang::Decl *Function = Template ? Template->getTemplatedDecl() : Member;
           if (auto *To = llvm::dyn_cast<clang::CXXConversionDecl>(Function))
             return !To->isExplicit() && LooksAlike(To->getConversionType());
           auto *Made = llvm::dyn_cast<clang::CXXConstructorDecl>(Function);
           return Made && Made->isConvertingConstructor(/*AllowExplicit=*/false) && Made->getNumParams() > 0 &&
                  !Made->isCopyOrMoveConstructor() &&
                  LooksAlike(Made->getParamDecl(0)->getType().getNonReferenceType());
         });
}

void takeSignature(const ParsedUnit &Unit, const Reached &Reach, const KernelFacts &Facts, const SelectCopied &Chosen,
                   KernelText &To) {
  const clang::FunctionDecl &Kernel = *Reach.Kernel;
  ArgumentTypes Types(Unit, Chosen, To.Types);
  for (size_t I = 0; I < Kernel.getNumParams(); ++I) {
    const clang::ParmVarDecl *Parameter = Kernel.getParamDecl(I);
    const clang::QualType Type = Parameter->getType();
    if (Type->isReferenceType())
      continue; // a blocker already
    if (holdsLongDouble(Type))
      To.Blockers.push_back({BlockerKind::HostLayout, Unit.place(Parameter->getLocation()),
                             Facts.Parameters[I].Name + " has a long double"});
    const bool ByBytes = isCopiedByCode(*Parameter) || ArgumentTypes::needsBytes(Type);
    auto IsCopied = [](const std::optional<ParameterSpelling> &S) {
      return S && S->Declaration.has(OutputText::Slot::Path);
    };
    auto Written = spelling(Unit, *Parameter, Type, Chosen);
    // A typedef may be copied where its type is not.
    if (IsCopied(Written))
      if (auto Plain = spelling(Unit, *Parameter, Type.getCanonicalType(), Chosen))
        Written = std::move(Plain);
    std::optional<OpaqueParameter> Opaque;
    if (IsCopied(Written) || ByBytes)
      Opaque = opaque(Unit, *Parameter, Types, Chosen);
    if (!Written || ((IsCopied(Written) || ByBytes) && !Opaque)) {
      To.Blockers.push_back({BlockerKind::UnspellableParameter, Unit.place(Parameter->getLocation()),
                             fmt::format("{} {}", Facts.Parameters[I].Type, Facts.Parameters[I].Name)});
      continue;
    }
    if (isCopiedByCode(*Parameter) && !Parameter->hasAttr<clang::CUDAGridConstantAttr>())
      Written->Declaration =
          Written->Declaration.with(OutputText::Slot::Name, "&" + OutputText(OutputText::Slot::Name));
    if (Opaque && isConverted(Unit.ast(), Type))
      To.Blockers.push_back(
          {BlockerKind::HostReadsOther, Unit.place(Parameter->getLocation()),
           fmt::format("{} {}, to which others are converted", Facts.Parameters[I].Type, Facts.Parameters[I].Name)});
    To.Parameters.push_back({std::move(*Written), Facts.Parameters[I].Name, std::move(Opaque)});
  }
  To.Callee = namespacePath(Kernel) + Kernel.getNameAsString();
  if (const clang::TemplateArgumentList *Arguments = Kernel.getTemplateSpecializationArgs()) {
    auto Spelled = spellArguments(Unit.ast(), Arguments->asArray(), Chosen);
    if (!Spelled)
      To.Blockers.push_back({BlockerKind::UnspellableParameter, Unit.place(Kernel.getLocation()),
                             "a template argument of " + Facts.QualifiedName});
    else
      To.Callee += *Spelled;
  }
}

} // namespace cufuse
