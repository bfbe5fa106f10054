#include "TextParts.h"

#include "SpellType.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

class Registration {
public:
  Registration(const ParsedUnit &Unit, const SelectCopied &Chosen, KernelText &To)
      : Unit(Unit), Chosen(Chosen), To(To) {}

  void variable(const clang::VarDecl &Variable) {
    const clang::VarTemplateDecl *Template = Variable.getDescribedVarTemplate();
    if (llvm::isa<clang::VarTemplateSpecializationDecl>(Variable) ||
        (!Template && Variable.isThisDeclarationADefinition() != clang::VarDecl::Definition))
      return;
    OutputText Text;
    if (Template) {
      const std::optional<OutputText> Head = headOf(*Template);
      if (!Head || !llvm::all_of(Template->specializations(), [&](const auto *Special) {
            return llvm::all_of(Special->getTemplateArgs().asArray(),
                                [this](const clang::TemplateArgument &A) { return isNamed(A); });
          }))
        return To.Blockers.push_back({BlockerKind::HostReadsOther, Unit.place(Variable.getLocation()),
                                      Variable.getQualifiedNameAsString() + ", for its template arguments"});
      Text = *Head;
    }
    if (!Template && !Variable.hasExternalFormalLinkage() && !Variable.isInAnonymousNamespace())
      Text += "static ";
    const bool IsConstant = llvm::any_of(Variable.specific_attrs<clang::CUDAConstantAttr>(),
                                         [](const auto *A) { return !A->isImplicit(); });
    if (Variable.isInline())
      Text += "inline ";
    Text += (IsConstant ? "__constant__ unsigned char " : "__device__ unsigned char ") + Variable.getNameAsString();
    if (!Template)
      Text += outputText("[{}]", Unit.ast().getTypeSizeInChars(Variable.getType()).getQuantity());
    add(Variable, Text + ";");
  }

private:
  void add(const clang::Decl &Of, OutputText Text) {
    To.OnHost.push_back({Piece::Kind::Using, namespacesAround(Of.getDeclContext()), std::move(Text)});
  }

  std::optional<OutputText> headOf(const clang::VarTemplateDecl &Template) {
    std::vector<OutputText> Parameters;
    for (const clang::NamedDecl *Parameter : *Template.getTemplateParameters()) {
      std::optional<OutputText> Kind;
      if (auto *Value = llvm::dyn_cast<clang::NonTypeTemplateParmDecl>(Parameter)) {
        if (!Value->getType()->isDependentType() && isNamed(Value->getType()))
          Kind = spellType(Unit.ast(), Value->getType().getCanonicalType(), "", Chosen);
      } else if (llvm::isa<clang::TemplateTypeParmDecl>(Parameter)) {
        Kind = "typename";
      }
      if (!Kind)
        return std::nullopt;
      Parameters.push_back(*Kind + (Parameter->isParameterPack() ? "..." : ""));
    }
    return "template <" + joined(Parameters, ", ") + "> ";
  }

  /// Does the host know its name, maybe as that of something that is only declared?
  bool isNamed(clang::QualType Type) {
    const clang::QualType T = endOf(Type);
    if (llvm::isa<clang::FunctionType>(T))
      return false;
    const clang::TagDecl *Tag = T->getAsTagDecl();
    if (auto *Special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(Tag))
      return !Chosen.copies(Special) &&
             llvm::all_of(Special->getTemplateArgs().asArray(), [this](const auto &A) { return isNamed(A); });
    if (!Tag || !Chosen.copies(Tag))
      return true;
    auto *Enum = llvm::dyn_cast<clang::EnumDecl>(Tag);
    if (!Tag->getDeclContext()->getRedeclContext()->isFileContext() || !Tag->getDeclName() ||
        (Enum && !Enum->isFixed()))
      return false;
    if (!Declared.insert(Tag->getCanonicalDecl()).second)
      return true;
    const auto Base =
        Enum ? spellType(Unit.ast(), Enum->getIntegerType().getCanonicalType(), "", Chosen) : OutputText();
    if (Base)
      add(*Tag, outputText("{}{} {}{}{};", Tag->getKindName().str(), Enum && Enum->isScoped() ? " class" : "",
                           Tag->getNameAsString(), Enum ? " : " : "", *Base));
    return Base.has_value();
  }
  bool isNamed(const clang::TemplateArgument &Argument) {
    switch (Argument.getKind()) {
    case clang::TemplateArgument::Type:
      return isNamed(Argument.getAsType());
    case clang::TemplateArgument::Integral:
      return isNamed(Argument.getIntegralType());
    case clang::TemplateArgument::Pack:
      return llvm::all_of(Argument.pack_elements(), [this](const auto &A) { return isNamed(A); });
    default:
      return false;
    }
  }

  const ParsedUnit &Unit;
  const SelectCopied &Chosen;
  KernelText &To;
  std::set<const clang::TagDecl *> Declared; ///< Canonical.
};

} // namespace

void registerVariables(const ParsedUnit &Unit, const SelectCopied &Chosen,
                       const std::set<const clang::Decl *> &HostShared, KernelText &To) {
  Registration Each(Unit, Chosen, To);
  for (const clang::Decl *Whole : Chosen.Units) {
    auto *Template = llvm::dyn_cast<clang::VarTemplateDecl>(Whole);
    auto *Variable = llvm::dyn_cast<clang::VarDecl>(Template ? Template->getTemplatedDecl() : Whole);
    // A member is none for nvcc, which is a blocker already.
    if (Variable && !Variable->isStaticDataMember() && !HostShared.count(Variable->getCanonicalDecl()) &&
        llvm::any_of(Variable->attrs(), [](auto *A) {
          return llvm::isa<clang::CUDAConstantAttr, clang::CUDADeviceAttr>(A) && !A->isImplicit();
        }))
      Each.variable(*Variable);
  }
}

} // namespace cufuse
