#include "SpellType.h"

#include "cufuse/Reach/Declarations.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

bool ArgumentTypes::needsBytes(clang::QualType Type) {
  const clang::QualType Plain = Type.getCanonicalType();
  auto IsClass = [](clang::QualType T) { return T->isRecordType() || T->getPointeeCXXRecordDecl(); };
  const auto *Function = Plain->isPointerType() ? Plain->getPointeeType()->getAs<clang::FunctionProtoType>() : nullptr;
  return Plain->isMemberPointerType() ||
         (Function && (IsClass(Function->getReturnType()) || llvm::any_of(Function->param_types(), IsClass)));
}

std::optional<OutputText> ArgumentTypes::declaration(clang::QualType Type, const OutputText &Declarator) {
  clang::ASTContext &Context = Unit.ast();
  const clang::QualType Plain = Type.getCanonicalType();
  if (!needsBytes(Plain))
    for (const clang::QualType T : {Type, Plain}) // a typedef is copied, too
      if (auto Spelled = spellType(Context, T, Declarator, Chosen); Spelled && !Spelled->has(OutputText::Slot::Path))
        return Spelled;
  if (const clang::ConstantArrayType *Array = Context.getAsConstantArrayType(Plain))
    return declaration(Array->getElementType(), outputText("{}[{}]", Declarator, Array->getSize().getZExtValue()));
  if (const auto *Pointer = Plain->getAs<clang::PointerType>(); Pointer && Plain->isObjectPointerType()) {
    const clang::QualType Void =
        clang::QualType(Context.VoidTy)
            .withCVRQualifiers(Pointer->getPointeeType().getCVRQualifiers() & ~unsigned(clang::Qualifiers::Restrict));
    return spellType(Context, Context.getPointerType(Void).withCVRQualifiers(Plain.getLocalCVRQualifiers()), Declarator,
                     Chosen);
  }
  if (!Plain->isRecordType() && !Plain->isEnumeralType() && !Plain->isPointerType() && !Plain->isMemberPointerType())
    return std::nullopt;
  return bytes(Plain, Declarator);
}

OutputText ArgumentTypes::bytes(clang::QualType Plain, const OutputText &Declarator) {
  return std::string(Plain.isConstQualified() ? "const " : "") + OutputText::Slot::Path +
         ("::" + nameOf(Plain.getUnqualifiedType())) + (Declarator.empty() ? "" : " " + Declarator);
}

std::string ArgumentTypes::nameOf(clang::QualType Type) {
  if (const auto Known = Names.find(Type.getTypePtr()); Known != Names.end())
    return Known->second;
  const clang::TagDecl *Tag = Type->getAsTagDecl();
  const clang::TypedefNameDecl *Typedef = Tag ? Tag->getTypedefNameForAnonDecl() : nullptr;
  std::string Name = Tag && Tag->getDeclName()     ? Tag->getNameAsString()
                     : Typedef                     ? Typedef->getNameAsString()
                     : Tag                         ? "Unnamed"
                     : Type->isMemberPointerType() ? "MemberPointer"
                                                   : "FunctionPointer";
  const bool IsGlobal = Tag && Tag->getDeclContext()->getRedeclContext()->isTranslationUnit();
  auto Clashes = [&] {
    return Name == "Arguments" || Name == "Launch" ||
           llvm::any_of(To, [&](const ArgumentType &T) { return T.Name == Name; }) ||
           (!IsGlobal && !Unit.ast().getTranslationUnitDecl()->lookup(&Unit.ast().Idents.get(Name)).empty());
  };
  while (Clashes())
    Name += '_';
  Names.emplace(Type.getTypePtr(), Name);
  define(Type, Name);
  return Name;
}

/// What the launcher asks of the name. Compilers spell arguments of templates, and what is around it without a name,
/// each in its own way.
static std::string isCalled(const clang::TagDecl &Tag) {
  using namespace clang;
  const NamedDecl *Written = Tag.getTypedefNameForAnonDecl();
  Written = Written ? Written : &Tag;
  if (!Written->getIdentifier() || llvm::isa<ClassTemplateSpecializationDecl>(Tag))
    return "";
  std::string Name = Written->getNameAsString();
  const DeclContext *Around = Tag.getDeclContext()->getRedeclContext();
  for (; !Around->isTranslationUnit(); Around = Around->getParent()->getRedeclContext()) {
    auto *Named = llvm::dyn_cast<NamedDecl>(Around);
    if (Around->isFunctionOrMethod() || Around->isInlineNamespace() || !Named || !Named->getIdentifier() ||
        llvm::isa<ClassTemplateSpecializationDecl>(Named))
      break;
    Name = Named->getNameAsString() + "::" + Name;
  }
  return fmt::format(" && cufuse_isCalled<Value>(\"{}\", {}, {})", Name, Name.size(), Around->isTranslationUnit());
}

void ArgumentTypes::define(clang::QualType Type, llvm::StringRef Name) {
  const clang::ASTContext &Context = Unit.ast();
  ArgumentType Result;
  Result.Name = Name.str();
  Result.Bytes = Context.getTypeSizeInChars(Type).getQuantity();
  Result.Alignment = Context.getTypeAlignInChars(Type).getQuantity();
  Result.IsPointer = Type->isPointerType();
  const auto Known = spellType(Context, Type, "", Chosen);
  if (Known && !Known->has(OutputText::Slot::Path))
    Result.Kind = "is_same<Value, " + Known->text() + ">";
  else
    Result.Kind = Type->isEnumeralType()        ? "is_enum<Value>"
                  : Type->isUnionType()         ? "is_union<Value>"
                  : Type->isRecordType()        ? "is_class<Value>"
                  : Type->isMemberPointerType() ? "is_member_pointer<Value>"
                                                : "is_pointer<Value>";
  Result.Kind += "::value";
  if (const clang::TagDecl *Tag = Type->getAsTagDecl())
    Result.Kind += isCalled(*Tag);
  if (const clang::CXXRecordDecl *Record = Type->getAsCXXRecordDecl()) {
    Record = Record->getDefinition();
    Result.Fields = fieldsOf(*Record);
    Result.IsAligned = Record->hasAttr<clang::AlignedAttr>();
    if (const auto *Packing = Record->getAttr<clang::MaxFieldAlignmentAttr>())
      Result.Packing = Packing->getAlignment() / Context.getCharWidth();
  }
  To.push_back(std::move(Result));
}

std::optional<std::vector<ArgumentType::Field>> ArgumentTypes::fieldsOf(const clang::CXXRecordDecl &Record) {
  const clang::ASTContext &Context = Unit.ast();
  if (!Record.isAggregate() || Record.getNumBases() > 0 || Record.isUnion() || Record.hasInClassInitializer() ||
      !copiesBytes(Record) || !Record.hasCopyConstructorWithConstParam() ||
      Record.defaultedCopyConstructorIsDeleted() || Record.hasAttr<clang::PackedAttr>() || !inUsersFile(&Record))
    return std::nullopt;
  const clang::ASTRecordLayout &Layout = Context.getASTRecordLayout(&Record);
  std::vector<ArgumentType::Field> Fields;
  for (const clang::FieldDecl *Field : Record.fields()) {
    const clang::QualType Type = Field->getType().getUnqualifiedType();
    std::string Name = Field->getNameAsString();
    if (Name.empty() || Type->isReferenceType() || Type->isIncompleteArrayType() || Field->hasAttrs())
      return std::nullopt;
    const bool IsBits = Field->isBitField();
    // Such a field cannot be declared so: it would have the class's name, or a type that is no number.
    if (Name == Record.getName() || (IsBits && Type->isEnumeralType()))
      return std::nullopt;
    auto Declared =
        declaration(Type, IsBits ? fmt::format("{} : {}", Name, Field->getBitWidthValue()) : std::string(Name));
    if (!Declared)
      return std::nullopt;
    const std::uint64_t Bits = Layout.getFieldOffset(Field->getFieldIndex());
    Fields.push_back({std::move(*Declared), std::move(Name),
                      IsBits ? std::nullopt : std::optional<unsigned long long>(Bits / Context.getCharWidth())});
  }
  return Fields;
}

} // namespace cufuse
