// What `__has_builtin` and its like say: in files of the user, what nvcc's compiler has and not what Clang has.
#pragma once

#include "cufuse/Frontend/Flags.h"
#include "cufuse/Frontend/Toolchain.h"

#include <memory>
#include <string>
#include <vector>

namespace clang {
class PPCallbacks;
class Preprocessor;
} // namespace clang

namespace cufuse {

/// Definitions of these operators, to be predefined in place of Clang's: `NAME(PARAMETER) VALUE`.
std::vector<std::string> compilersOperators();

/// Callbacks that ask nvcc's compiler whenever one of these is expanded. All must outlive the preprocessor.
std::unique_ptr<clang::PPCallbacks> answerAsNvcc(clang::Preprocessor &Preprocessor, const Toolchain &Tools,
                                                 const CompileFlags &Flags);

} // namespace cufuse
