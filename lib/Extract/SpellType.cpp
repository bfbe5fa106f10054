#include "SpellType.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

/// The members of an aggregate of numbers, in braces.
std::optional<std::string> spellMembers(const clang::APValue &Value, clang::QualType Type) {
  const clang::CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  if (!Record)
    return llvm::isa<clang::BuiltinType>(Type.getCanonicalType()) ? spellValue(Value) : std::nullopt;
  if (!Value.isStruct() || !Record->isAggregate() || Record->getNumBases() > 0)
    return std::nullopt;
  std::string List;
  for (const clang::FieldDecl *Field : Record->fields()) {
    const auto Each = spellMembers(Value.getStructField(Field->getFieldIndex()), Field->getType());
    if (!Each || Field->isUnnamedBitField())
      return std::nullopt;
    List += (List.empty() ? "" : ", ") + *Each;
  }
  return "{" + List + "}";
}

class Speller {
  using Builtin = clang::BuiltinType;

public:
  Speller(const clang::ASTContext &Context, const SelectCopied &Chosen)
      : Policy(Context.getPrintingPolicy()), Context(Context), Sources(Context.getSourceManager()), Chosen(Chosen) {}

  std::optional<OutputText> type(clang::QualType T, const OutputText &Declarator) {
    if (auto *Pointer = T->getAs<clang::PointerType>(); Pointer && !llvm::isa<clang::TypedefType>(T)) {
      // With those of a template argument that it stands for.
      std::string Inner = "*" + qualifiers(T.isConstQualified(), T.isVolatileQualified());
      if (T.isRestrictQualified())
        Inner += "__restrict__ ";
      const clang::QualType Pointee = Pointer->getPointeeType();
      if (auto *Function = Pointee->getAs<clang::FunctionProtoType>())
        return function(*Function, "(" + Inner + Declarator + ")");
      return type(Pointee, isArray(Pointee) ? "(" + Inner + Declarator + ")" : Inner + Declarator);
    }
    if (auto *Member = T->getAs<clang::MemberPointerType>(); Member && !llvm::isa<clang::TypedefType>(T)) {
      const std::optional<OutputText> Class = qualified(Member->getMostRecentCXXRecordDecl());
      if (!Class)
        return std::nullopt;
      const clang::QualType Pointee = Member->getPointeeType();
      const OutputText Inner = *Class + "::*" + qualifiers(T.isConstQualified(), T.isVolatileQualified()) + Declarator;
      return type(Pointee, isArray(Pointee) || isFunction(Pointee) ? "(" + Inner + ")" : Inner);
    }
    if (auto *Reference = T->getAs<clang::ReferenceType>(); Reference && !llvm::isa<clang::TypedefType>(T)) {
      const clang::QualType Pointee = Reference->getPointeeType();
      const OutputText Inner = (T->isLValueReferenceType() ? "&" : "&&") + Declarator;
      return type(Pointee, isArray(Pointee) || isFunction(Pointee) ? "(" + Inner + ")" : Inner);
    }
    if (isFunction(T))
      return function(*T->getAs<clang::FunctionProtoType>(), Declarator);
    if (isArray(T))
      return type(Context.getAsArrayType(T)->getElementType(),
                  outputText("{}[{}]", Declarator, Context.getAsConstantArrayType(T)->getSize().getZExtValue()));
    std::optional<OutputText> Name = base(T);
    if (!Name)
      return std::nullopt;
    return qualifiers(T.isLocalConstQualified(), T.isLocalVolatileQualified()) + *Name +
           (Declarator.empty() ? "" : " " + Declarator);
  }

  std::optional<OutputText> arguments(llvm::ArrayRef<clang::TemplateArgument> Arguments) {
    std::vector<OutputText> Texts;
    if (!flatten(Arguments, Texts))
      return std::nullopt;
    return "<" + joined(Texts, ", ") + ">";
  }

private:
  static std::string qualifiers(bool Const, bool Volatile) {
    return std::string(Const ? "const " : "") + (Volatile ? "volatile " : "");
  }

  bool flatten(llvm::ArrayRef<clang::TemplateArgument> Arguments, std::vector<OutputText> &Texts) {
    for (const clang::TemplateArgument &Argument : Arguments) {
      if (Argument.getKind() == clang::TemplateArgument::Pack) {
        if (!flatten(Argument.pack_elements(), Texts))
          return false;
        continue;
      }
      std::optional<OutputText> Text;
      if (Argument.getKind() == clang::TemplateArgument::Type) {
        Text = type(Argument.getAsType(), "");
      } else if (Argument.getKind() == clang::TemplateArgument::Template) {
        if (const clang::TemplateDecl *T = Argument.getAsTemplate().getAsTemplateDecl())
          Text = qualified(T);
      } else if (Argument.getKind() == clang::TemplateArgument::Declaration) {
        const clang::ValueDecl *D = Argument.getAsDecl();
        auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D);
        const clang::TemplateArgumentList *Own = Function ? Function->getTemplateSpecializationArgs() : nullptr;
        const std::optional<OutputText> Given = Own ? arguments(Own->asArray()) : OutputText();
        if (auto *Object = llvm::dyn_cast<clang::TemplateParamObjectDecl>(D)) {
          const std::optional<OutputText> Class = type(Object->getType().getUnqualifiedType(), "");
          if (const auto Members = spellMembers(Object->getValue(), Object->getType()); Members && Class)
            Text = *Class + *Members;
        } else if (std::optional<OutputText> Name = qualified(D); Name && Given)
          Text = (Argument.getParamTypeForDecl()->isReferenceType() ? "" : "&") + *Name + *Given;
      } else if (Argument.getKind() == clang::TemplateArgument::Integral) {
        llvm::SmallString<32> Value;
        const clang::QualType T = Argument.getIntegralType();
        if (T->isBooleanType())
          Text = Argument.getAsIntegral().getBoolValue() ? "true" : "false";
        else {
          const llvm::APSInt &Number = Argument.getAsIntegral();
          Number.toString(Value, 10);
          auto Is = [&](auto... Kinds) { return (T->isSpecificBuiltinType(Kinds) || ...); };
          const bool Wide = Number.getBitWidth() > 32, Long = Is(Builtin::Long, Builtin::ULong);
          const std::string Suffix = std::string(Number.isUnsigned() ? "u" : "") + (!Wide ? "" : Long ? "l" : "ll");
          // The least number has no literal: the one without its sign is too large.
          Text = Wide && Number.isSigned() && Number.isMinSignedValue() ? "(-9223372036854775807" + Suffix + " - 1)"
                                                                        : std::string(Value) + Suffix;
          // `template <auto>` tells their types apart.
          if (!Long && !Is(Builtin::Int, Builtin::UInt, Builtin::LongLong, Builtin::ULongLong))
            if (std::optional<OutputText> Named = type(T.getUnqualifiedType(), ""))
              Text = "static_cast<" + *Named + ">(" + *Text + ")";
        }
      }
      if (!Text)
        return false;
      Texts.push_back(*Text);
    }
    return true;
  }

  std::optional<OutputText> base(clang::QualType T) {
    const clang::Type *Type = T.getTypePtr();
    if (auto *Typedef = llvm::dyn_cast<clang::TypedefType>(Type)) {
      const clang::TypedefNameDecl *D = Typedef->getDecl();
      if (D->getDeclContext()->getRedeclContext()->isFileContext())
        return qualified(D);
      if (auto Plain = type(Typedef->desugar().getUnqualifiedType(), ""))
        return Plain;
      return D->getDeclContext()->isRecord() ? qualified(D) : std::nullopt; // of what only the class can name
    }
    if (auto *Builtin = llvm::dyn_cast<clang::BuiltinType>(Type))
      return Builtin->getName(Policy).str();
    if (const clang::TagDecl *Tag = Type->getAsTagDecl(); Tag && (T.isCanonical() || llvm::isa<clang::TagType>(Type)))
      return qualified(Tag);
    // A template argument has qualifiers of its own.
    clang::QualType Simpler = T.getLocalUnqualifiedType().getSingleStepDesugaredType(Context);
    Simpler.removeLocalFastQualifiers(T.getLocalFastQualifiers());
    return Simpler.getTypePtr() != Type ? type(Simpler, "") : std::nullopt;
  }
  /// An array that no typedef names: its bounds stand behind the declarator.
  bool isArray(clang::QualType T) const {
    return !llvm::isa<clang::TypedefType>(T) && Context.getAsConstantArrayType(T);
  }

  static bool isFunction(clang::QualType T) {
    return !llvm::isa<clang::TypedefType>(T) && T->getAs<clang::FunctionProtoType>();
  }

  std::optional<OutputText> function(const clang::FunctionProtoType &Function, const OutputText &Declarator) {
    if (Function.getRefQualifier() != clang::RQ_None || Function.isVolatile())
      return std::nullopt;
    std::vector<OutputText> Parameters;
    for (const clang::QualType Parameter : Function.param_types())
      if (std::optional<OutputText> Spelled = type(Parameter, ""))
        Parameters.push_back(*Spelled);
      else
        return std::nullopt;
    if (Function.isVariadic())
      Parameters.push_back("...");
    return type(Function.getReturnType(), Declarator + "(" + joined(Parameters, ", ") + ")" +
                                              (Function.isConst() ? " const" : "") +
                                              (Function.isNothrow() ? " noexcept" : ""));
  }

  std::optional<OutputText> qualified(const clang::NamedDecl *D) {
    const bool Copies = Chosen.copies(D);
    if (!D->getDeclName() &&
        !(llvm::isa<clang::TagDecl>(D) && llvm::cast<clang::TagDecl>(D)->getTypedefNameForAnonDecl()))
      return std::nullopt;
    auto *Tag = llvm::dyn_cast<clang::TagDecl>(D);
    OutputText Name =
        Tag && !D->getDeclName() ? Tag->getTypedefNameForAnonDecl()->getNameAsString() : D->getNameAsString();
    if (auto *Special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(D)) {
      std::optional<OutputText> Arguments = arguments(Special->getTemplateArgs().asArray());
      if (!Arguments)
        return std::nullopt;
      Name += *Arguments;
    }
    // A function of the same name would be found before it.
    const bool NeedsKeyword =
        Tag && D->getDeclName() &&
        llvm::any_of(D->getDeclContext()->lookup(D->getDeclName()), [](const clang::NamedDecl *Each) {
          return llvm::isa<clang::ValueDecl, clang::FunctionTemplateDecl>(Each);
        });
    const OutputText Keyword = NeedsKeyword ? Tag->getKindName().str() + " " : "";
    // What is ours may have a name of the user's: of a namespace, or of a global type, for which it may stand.
    auto *Class = llvm::dyn_cast<clang::CXXRecordDecl>(D);
    bool Hidden = !Sources.isInSystemHeader(D->getLocation()) ||
                  (Class && Class->hasDefinition() && !Class->isTriviallyCopyable()) ||
                  (D->getIdentifier() && (D->getName() == "Arguments" || D->getName() == "Launch"));
    const clang::DeclContext *Context = D->getDeclContext();
    while (!Context->isTranslationUnit()) {
      if (Context->isFunctionOrMethod())
        return std::nullopt;
      if (auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(Context)) {
        Hidden = !Sources.isInSystemHeader(Namespace->getLocation());
        if (!Namespace->isAnonymousNamespace() && !Namespace->isInline())
          Name = Namespace->getNameAsString() + "::" + Name;
      } else if (auto *Record = llvm::dyn_cast<clang::CXXRecordDecl>(Context)) {
        if (D->getAccess() == clang::AS_private || D->getAccess() == clang::AS_protected)
          return std::nullopt;
        // The record brings its own scope.
        std::optional<OutputText> Outer = qualified(Record);
        if (!Outer)
          return std::nullopt;
        return Keyword + *Outer + "::" + Name;
      }
      Context = Context->getParent();
    }
    return Keyword + (Copies ? OutputText::Slot::Path + ("::" + Name) : Hidden ? "::" + Name : Name);
  }

  clang::PrintingPolicy Policy;
  const clang::ASTContext &Context;
  const clang::SourceManager &Sources;
  const SelectCopied &Chosen;
};

} // namespace

std::optional<OutputText> spellType(const clang::ASTContext &Context, clang::QualType Type,
                                    const OutputText &Declarator, const SelectCopied &Chosen) {
  return Speller(Context, Chosen).type(Type, Declarator);
}

std::optional<OutputText> spellArguments(const clang::ASTContext &Context,
                                         llvm::ArrayRef<clang::TemplateArgument> Arguments,
                                         const SelectCopied &Chosen) {
  return Speller(Context, Chosen).arguments(Arguments);
}

std::optional<std::string> spellValue(const clang::APValue &Value) {
  if (Value.isInt())
    return llvm::toString(Value.getInt(), 10) + (Value.getInt().isUnsigned() ? "u" : "");
  if (Value.isFloat() && Value.getFloat().isFinite()) {
    llvm::SmallString<32> Text;
    Value.getFloat().toString(Text, /*FormatPrecision=*/0);
    return std::string(Text);
  }
  if (!Value.isArray())
    return std::nullopt;
  std::string List;
  for (unsigned I = 0; I < Value.getArraySize(); ++I) {
    const bool Given = I < Value.getArrayInitializedElts();
    const auto Element = spellValue(Given ? Value.getArrayInitializedElt(I) : Value.getArrayFiller());
    if (!Element)
      return std::nullopt;
    List += (List.empty() ? "" : ", ") + *Element;
  }
  return "{" + List + "}";
}

} // namespace cufuse
