// Which variables a piece of code may change.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <map>

namespace cufuse {

/// Variables that stand anywhere in `S` but where they are only read, with how often: assigned, counted, or handed on
/// by reference or address.
std::map<const clang::VarDecl *, unsigned> assignedIn(const clang::Stmt *S);

} // namespace cufuse
