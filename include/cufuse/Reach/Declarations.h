// Questions about one declaration or type.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>

namespace cufuse {

/// The member of a template that an instantiation was made from, or the declaration itself.
const clang::Decl *pattern(const clang::Decl *D);

/// The declaration that has the function's body; null where none has.
const clang::FunctionDecl *withBody(const clang::FunctionDecl *F);

/// Is it what a lambda does?
bool isLambda(const clang::FunctionDecl &F);

/// The file in which `D` stands, or the macro call that it comes from.
clang::FileID fileOf(const clang::Decl *D);
/// Is that a file of the user, as opposed to a system header and what Clang itself declares?
bool inUsersFile(const clang::Decl *D);

/// Is it a class of cooperative groups with one of these names?
bool isOfGroups(const clang::CXXRecordDecl *Record, llvm::ArrayRef<llvm::StringRef> Names);

/// Is it so of the type, or of one of those that it is made of: elements, members and bases? They are canonical. What
/// there is an answer for is not looked into.
bool anyPart(clang::QualType T, llvm::function_ref<std::optional<bool>(clang::QualType)> Is);

/// Is a copy the bytes, by what the compiler makes, or by what the toolkit says of its pairs of 16 bits?
bool copiesBytes(const clang::CXXRecordDecl &Record);

/// Would another copy of the parameter than a launch makes run code, or not be possible?
bool isCopiedByCode(const clang::ParmVarDecl &Parameter);

/// The declaration at file or namespace scope that holds `D`, its template included: what a copy takes as a whole.
/// Null for a namespace, the translation unit, and built-in declarations.
const clang::Decl *enclosingUnit(const clang::Decl *D);

/// What pointers, references and arrays of this type lead to in the end; canonical.
clang::QualType endOf(clang::QualType T);
/// Can a value of this type lead to code that was compiled elsewhere, with the built-ins of another kernel?
bool leadsToCode(clang::QualType T, unsigned Depth = 0);

/// Does the variable stay what its initialiser says: const, as a whole?
bool isTable(const clang::VarDecl &Variable);

} // namespace cufuse
