// A type as it is written outside the file it comes from.
#pragma once

#include "SelectCopied.h"

#include "cufuse/Kernel/KernelText.h"

#include <clang/AST/APValue.h>
#include <clang/AST/Type.h>

namespace cufuse {

/// Spells `Type` with `Declarator` as a declaration at global scope: declarations that are copied are qualified with
/// the open path, all others fully. Nothing when the type has no name there (local and unnamed types).
std::optional<OutputText> spellType(const clang::ASTContext &Context, clang::QualType Type,
                                    const OutputText &Declarator, const SelectCopied &Chosen);

/// Spells template arguments in the same way, with their brackets.
std::optional<OutputText> spellArguments(const clang::ASTContext &Context,
                                         llvm::ArrayRef<clang::TemplateArgument> Arguments, const SelectCopied &Chosen);

/// An initialiser with the same value. Nothing for what is no finite number and no array of such.
std::optional<std::string> spellValue(const clang::APValue &Value);

/// The types of arguments that only the kernel's file knows, as data for the launcher's header.
class ArgumentTypes {
public:
  ArgumentTypes(const ParsedUnit &Unit, const SelectCopied &Chosen, std::vector<ArgumentType> &To)
      : Unit(Unit), Chosen(Chosen), To(To) {}

  /// A declaration in the header for a value of this type. What is copied is there by the bytes that it has: a class
  /// whose members can be named has them, and a pointer leads to `void`. So is what a launch copies by code.
  std::optional<OutputText> declaration(clang::QualType Type, const OutputText &Declarator);

  /// The same by its bytes, whatever it is. The type is canonical.
  OutputText bytes(clang::QualType Plain, const OutputText &Declarator);
  /// Is it there so wherever it is from? Of a pointer to a member, nvcc's stubs make a `long`, and the classes of a
  /// function have mangled names there.
  static bool needsBytes(clang::QualType Type);

private:
  std::string nameOf(clang::QualType Type);
  void define(clang::QualType Type, llvm::StringRef Name);
  /// Nothing where the header cannot have them.
  std::optional<std::vector<ArgumentType::Field>> fieldsOf(const clang::CXXRecordDecl &Record);

  const ParsedUnit &Unit;
  const SelectCopied &Chosen;
  std::vector<ArgumentType> &To;
  std::map<const clang::Type *, std::string> Names; ///< Canonical.
};

} // namespace cufuse
