// `#pragma pack`, by what it did.
#pragma once

#include "cufuse/Kernel/KernelText.h"

#include <clang/AST/Decl.h>

#include <set>

namespace cufuse {

/// How the records that a declaration defines are packed, in bytes; 0 for those that are not.
std::set<unsigned> recordPacking(const clang::Decl &D);

/// Appends a piece with the pragmas that pack its records so.
void appendPacked(std::vector<Piece> &To, Piece P, const std::set<unsigned> &Packing);

} // namespace cufuse
