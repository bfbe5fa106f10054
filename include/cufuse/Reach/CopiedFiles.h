// Which of the user's files the output does not include.
#pragma once

#include "cufuse/Frontend/Parse.h"

#include <clang/AST/DeclBase.h>
#include <clang/Basic/SourceLocation.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <set>

namespace cufuse {

/// The main file, headers that define symbols with external linkage (a second object would define them again), rely on
/// what stands before them or have no guard, and what includes such a header: what is needed of these is copied.
std::set<clang::FileID> copiedFiles(const ParsedUnit &Unit);

/// Does a declaration name something for which `Is` holds?
bool namesAny(const clang::Decl &D, llvm::function_ref<bool(const clang::Decl *)> Is);

/// Visits what files of the user declare at file or namespace scope: namespaces, too, and then what is in them.
void eachTopLevel(const ParsedUnit &Unit, llvm::function_ref<void(const clang::Decl *)> Visit);

} // namespace cufuse
