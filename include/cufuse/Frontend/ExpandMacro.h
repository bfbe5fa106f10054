// A macro's call, written out by Clang's preprocessor.
#pragma once

#include "cufuse/Frontend/Parse.h"
#include "cufuse/Kernel/KernelText.h"

#include <clang/Basic/SourceLocation.h>
#include <clang/Lex/Token.h>

#include <optional>
#include <string>

namespace cufuse {

/// Is the token the number that `__LINE__` or `__COUNTER__`, by name, stands for? Where that name is written, if so.
std::optional<clang::SourceLocation> isNumberOf(llvm::StringRef Name, const clang::Token &T,
                                                const clang::Preprocessor &Preprocessor);

/// What the call that stands in [Begin, End) of the file leaves when all macros of the user are expanded. Those of
/// libraries and of the compiler stay, for nvcc's may be others than Clang's: with the arguments that they are given.
/// `__LINE__` is that of the call's first line, as it is for gcc. If `Lines`, the text has the lines and the comments
/// of the macros, otherwise it is one line. Nothing where a directive stands in the call, where nothing would change,
/// or where it has a number of `__COUNTER__`, which nvcc may give otherwise.
std::optional<std::string> expandMacro(const ParsedUnit &Unit, clang::FileID File, unsigned Begin, unsigned End,
                                       bool Lines);

/// What calls of these macros of the user say behind the end of the file, where no macro is that is defined at a place
/// which `IsCopied`. Not those that another compiler, or the place, may have say otherwise.
std::vector<MacroText> textsOfMacros(const ParsedUnit &Unit, const std::set<std::string> &Names,
                                     llvm::function_ref<bool(clang::SourceLocation)> IsCopied);

} // namespace cufuse
