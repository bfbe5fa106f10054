// A type as it is written outside the file it comes from.
#pragma once

#include "cufuse/Kernel/OutputText.h"

#include <clang/AST/APValue.h>
#include <clang/AST/Type.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <optional>
#include <string>

namespace cufuse {

/// Spells `Type` with `Declarator` as a declaration at global scope: declarations for which `IsCopied` holds are
/// qualified with the open path, all others fully. Nothing when the type has no name there (local and unnamed types).
std::optional<OutputText> spellType(const clang::ASTContext &Context, clang::QualType Type,
                                    const OutputText &Declarator,
                                    llvm::function_ref<bool(const clang::Decl *)> IsCopied);

/// Spells template arguments in the same way, with their brackets.
std::optional<OutputText> spellArguments(const clang::ASTContext &Context,
                                         llvm::ArrayRef<clang::TemplateArgument> Arguments,
                                         llvm::function_ref<bool(const clang::Decl *)> IsCopied);

/// An initialiser with the same value. Nothing for what is no finite number and no array of such.
std::optional<std::string> spellValue(const clang::APValue &Value);

} // namespace cufuse
