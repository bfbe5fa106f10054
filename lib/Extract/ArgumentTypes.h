// The types of arguments that only the kernel's file knows, as data for the launcher's header.
#pragma once

#include "cufuse/Frontend/Parse.h"
#include "cufuse/Kernel/KernelText.h"

#include <clang/AST/Type.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <map>

namespace cufuse {

class ArgumentTypes {
public:
  ArgumentTypes(const ParsedUnit &Unit, llvm::function_ref<bool(const clang::Decl *)> Copied,
                std::vector<ArgumentType> &To)
      : Unit(Unit), Copied(Copied), To(To) {}

  /// A declaration in the header for a value of this type. What is copied is there by the bytes that it has: a class
  /// whose members can be named has them, and a pointer leads to `void`. Nothing where the type has no name.
  std::optional<OutputText> declaration(clang::QualType Type, const OutputText &Declarator);

private:
  std::string nameOf(const clang::TagDecl &Tag);
  std::string define(const clang::TagDecl &Tag, llvm::StringRef Name);
  /// Nothing where the header cannot have them.
  std::optional<std::vector<ArgumentType::Field>> fieldsOf(const clang::CXXRecordDecl &Record);

  const ParsedUnit &Unit;
  llvm::function_ref<bool(const clang::Decl *)> Copied;
  std::vector<ArgumentType> &To;
  std::map<const clang::TagDecl *, std::string> Names; ///< Canonical.
};

} // namespace cufuse
