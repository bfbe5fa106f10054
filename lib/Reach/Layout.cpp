#include "cufuse/Reach/Layout.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecordLayout.h>
#include <fmt/core.h>

namespace cufuse {

namespace {

/// More elements than that are no sensible argument to spell.
constexpr unsigned MaxElements = 4096;
/// CUDA C++ Programming Guide: all parameters of a kernel together.
constexpr long long MaxBytes = 32764;

class Layout {
public:
  explicit Layout(clang::ASTContext &Context) : Context(Context) {}

  void add(clang::QualType Type, const std::string &Path, unsigned long long Offset) {
    const clang::QualType Plain = Type.getCanonicalType().getUnqualifiedType();
    if (const clang::ConstantArrayType *Array = Context.getAsConstantArrayType(Plain);
        Array && Array->getSize().ule(MaxElements)) {
      const clang::QualType Element = Array->getElementType();
      const auto Bytes = Context.getTypeSizeInChars(Element).getQuantity();
      for (unsigned I = 0; I < Array->getSize().getZExtValue(); ++I)
        add(Element, fmt::format("{}[{}]", Path, I), Offset + I * Bytes);
      return;
    }
    const clang::CXXRecordDecl *Record = Plain->getAsCXXRecordDecl();
    if (Record && scalarKind(Plain) == ScalarKind::Opaque && isPlain(*Record))
      return addFields(*Record, Path, Offset);
    Found.push_back({Path, Type.getAsString(Context.getPrintingPolicy()), scalarKind(Plain), Offset,
                     static_cast<unsigned long long>(Context.getTypeSizeInChars(Plain).getQuantity())});
  }

  std::vector<FieldFacts> Found;

private:
  static bool isPlain(const clang::CXXRecordDecl &Record) {
    if (Record.isUnion() || Record.isPolymorphic() || Record.getNumVBases() > 0)
      return false;
    return std::none_of(Record.field_begin(), Record.field_end(),
                        [](const clang::FieldDecl *F) { return F->isBitField() || F->getType()->isReferenceType(); });
  }

  void addFields(const clang::CXXRecordDecl &Record, const std::string &Path, unsigned long long Offset) {
    const clang::ASTRecordLayout &Places = Context.getASTRecordLayout(&Record);
    for (const clang::CXXBaseSpecifier &Base : Record.bases())
      if (const clang::CXXRecordDecl *Class = Base.getType()->getAsCXXRecordDecl(); !Class->isEmpty())
        add(Base.getType(), Path, Offset + Places.getBaseClassOffset(Class).getQuantity());
    for (const clang::FieldDecl *Field : Record.fields()) {
      const unsigned long long Bits = Places.getFieldOffset(Field->getFieldIndex());
      // The members of an unnamed struct are those of its owner.
      const std::string Name = Field->getNameAsString();
      add(Field->getType(), Path.empty() || Name.empty() ? Path + Name : Path + "." + Name,
          Offset + Context.toCharUnitsFromBits(Bits).getQuantity());
    }
  }

  ScalarKind scalarKind(clang::QualType Type) const {
    const auto Bytes = Context.getTypeSizeInChars(Type).getQuantity();
    if (const clang::CXXRecordDecl *Record = Type->getAsCXXRecordDecl()) {
      if (const std::string Name = Record->getQualifiedNameAsString(); Bytes == 2 && Name == "__half")
        return ScalarKind::Float;
      else if (Bytes == 2 && Name == "__nv_bfloat16")
        return ScalarKind::BFloat;
      return ScalarKind::Opaque;
    }
    if (Type->isPointerType())
      return Type->isFunctionPointerType() ? ScalarKind::Opaque : ScalarKind::Pointer;
    if (Type->isBooleanType())
      return ScalarKind::Bool;
    if (Type->isBFloat16Type())
      return ScalarKind::BFloat;
    if (Type->isRealFloatingType())
      return Bytes <= 8 ? ScalarKind::Float : ScalarKind::Opaque;
    if (Type->isIntegralOrEnumerationType() && Bytes <= 8)
      return Type->isSignedIntegerOrEnumerationType() ? ScalarKind::Signed : ScalarKind::Unsigned;
    return ScalarKind::Opaque;
  }

  clang::ASTContext &Context;
};

} // namespace

std::vector<FieldFacts> fieldsOf(clang::ASTContext &Context, clang::QualType Type) {
  Layout Places(Context);
  if (Context.getTypeSizeInChars(Type).getQuantity() > MaxBytes)
    return {{"", Type.getAsString(Context.getPrintingPolicy()), ScalarKind::Opaque, 0, 0}};
  Places.add(Type, "", 0);
  return std::move(Places.Found);
}

} // namespace cufuse
