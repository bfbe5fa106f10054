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
  llvm::function_ref<bool(const clang::Decl *)> Copied;
  std::vector<ArgumentType> &To;
  std::map<const clang::Type *, std::string> Names; ///< Canonical.
};

} // namespace cufuse
