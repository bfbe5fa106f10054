#include "ArgumentTypes.h"

#include "SpellType.h"

#include "cufuse/Analysis/Declarations.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

std::optional<OutputText> ArgumentTypes::declaration(clang::QualType Type, const OutputText &Declarator) {
  clang::ASTContext &Context = Unit.ast();
  for (const clang::QualType T : {Type, Type.getCanonicalType()}) // a typedef is copied, too
    if (auto Spelled = spellType(Context, T, Declarator, Copied); Spelled && !Spelled->has(OutputText::Slot::Path))
      return Spelled;
  const clang::QualType Plain = Type.getCanonicalType();
  if (const clang::ConstantArrayType *Array = Context.getAsConstantArrayType(Plain))
    return declaration(Array->getElementType(), outputText("{}[{}]", Declarator, Array->getSize().getZExtValue()));
  if (const auto *Pointer = Plain->getAs<clang::PointerType>(); Pointer && Plain->isObjectPointerType()) {
    const clang::QualType Void =
        clang::QualType(Context.VoidTy)
            .withCVRQualifiers(Pointer->getPointeeType().getCVRQualifiers() & ~unsigned(clang::Qualifiers::Restrict));
    return spellType(Context, Context.getPointerType(Void).withCVRQualifiers(Plain.getLocalCVRQualifiers()), Declarator,
                     Copied);
  }
  const clang::TagDecl *Tag = Plain->getAsTagDecl();
  if (!Tag || !spellType(Context, Plain, "", Copied))
    return std::nullopt;
  return std::string(Plain.isConstQualified() ? "const " : "") + OutputText::Slot::Path +
         ("::" + nameOf(*Tag->getCanonicalDecl())) + (Declarator.empty() ? "" : " " + Declarator);
}

std::string ArgumentTypes::nameOf(const clang::TagDecl &Tag) {
  if (const auto Known = Names.find(&Tag); Known != Names.end())
    return Known->second;
  const clang::TypedefNameDecl *Typedef = Tag.getTypedefNameForAnonDecl();
  const clang::NamedDecl &Named = Tag.getDeclName() || !Typedef ? static_cast<const clang::NamedDecl &>(Tag) : *Typedef;
  std::string Name = Named.getNameAsString();
  const bool IsGlobal = Tag.getDeclContext()->getRedeclContext()->isTranslationUnit();
  auto Clashes = [&] {
    return Name == "Arguments" || Name == "Launch" ||
           llvm::any_of(To, [&](const ArgumentType &T) { return T.Name == Name; }) ||
           (!IsGlobal && !Unit.ast().getTranslationUnitDecl()->lookup(&Unit.ast().Idents.get(Name)).empty());
  };
  while (Clashes())
    Name += '_';
  Names.emplace(&Tag, Name);
  return define(Tag, Name);
}

std::string ArgumentTypes::define(const clang::TagDecl &Tag, llvm::StringRef Name) {
  const clang::ASTContext &Context = Unit.ast();
  const clang::QualType Type = Context.getCanonicalTagType(&Tag);
  ArgumentType Result;
  Result.Name = Name.str();
  Result.Bytes = Context.getTypeSizeInChars(Type).getQuantity();
  Result.Alignment = Context.getTypeAlignInChars(Type).getQuantity();
  Result.IsEnum = llvm::isa<clang::EnumDecl>(Tag);
  if (const auto *Record = llvm::dyn_cast<clang::CXXRecordDecl>(Tag.getDefinition())) {
    Result.Fields = fieldsOf(*Record);
    Result.IsAligned = Record->hasAttr<clang::AlignedAttr>();
    if (const auto *Packing = Record->getAttr<clang::MaxFieldAlignmentAttr>())
      Result.Packing = Packing->getAlignment() / Context.getCharWidth();
  }
  To.push_back(std::move(Result));
  return Name.str();
}

std::optional<std::vector<ArgumentType::Field>> ArgumentTypes::fieldsOf(const clang::CXXRecordDecl &Record) {
  const clang::ASTContext &Context = Unit.ast();
  if (!Record.isAggregate() || Record.getNumBases() > 0 || Record.isUnion() || Record.hasInClassInitializer() ||
      !Record.isTriviallyCopyable() || Record.hasAttr<clang::PackedAttr>() ||
      !inUsersFile(&Record, Context.getSourceManager()))
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
