// The parameters of a kernel, and what their types hold.
#pragma once

#include "cufuse/Kernel/Accesses.h"

#include <clang/AST/Decl.h>

namespace cufuse {

std::vector<ParameterAccess> parametersOf(const clang::FunctionDecl &Kernel);

/// May a value of this type hold a pointer?
bool leadsToPointer(clang::QualType T);

} // namespace cufuse
