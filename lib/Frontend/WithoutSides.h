// Where Clang would ask of functions which side they are for, nvcc does not.
#pragma once

#include "cufuse/Frontend/UsersText.h"

#include <clang/Frontend/CompilerInstance.h>

#include <functional>

namespace cufuse {

/// No side chooses among overloads for nvcc, or tells two functions apart. So Clang reads all functions as if they were
/// for both, whatever is written at them, but those of libraries: Clang's own headers have some twice, for each side.
/// What is returned is to be called at every token.
std::function<void()> readWithoutSides(clang::CompilerInstance &Compiler, LibraryFiles &Libraries);

/// When all is read, a function is for what is written.
void restoreSides(clang::ASTContext &Ast, LibraryFiles &Libraries);

} // namespace cufuse
