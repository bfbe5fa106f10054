// What nvcc's own preprocessor makes of a file, for each architecture that it compiles for.
#pragma once

#include "cufuse/Frontend/Flags.h"
#include "cufuse/Frontend/UsersText.h"

#include <llvm/Support/Error.h>

namespace cufuse {

/// How nvcc preprocesses the device's side of a file for one architecture.
struct NvccStep {
  std::string Arch;                 ///< `sm_90a`
  std::vector<std::string> Command; ///< Of the host compiler, without an output.
};

/// The steps that `nvcc --dryrun` shows for the flags and for their architectures, those for `Arch` among them and
/// first; with an empty one, the lowest of the flags' comes first, or of nvcc's where they name none. Fails with
/// ExitCode::BadUsage where nvcc does not compile with these flags, or another toolkit's nvcc compiles the file.
llvm::Expected<std::vector<NvccStep>> nvccSteps(const Toolchain &Tools, const std::string &File,
                                                const CompileFlags &Flags, const std::string &Arch);

/// What the step's compiler has before the first line. Fails where it cannot say so: it is none that takes gcc's
/// options.
llvm::Expected<Predefined> predefined(const Toolchain &Tools, const NvccStep &Step);

/// The number that nvcc's compiler has for `Question` in a condition: `__has_builtin(__builtin_expect)`. 0 where it
/// does not understand it, or cannot be asked. Kept in the cache.
unsigned answerOf(const Toolchain &Tools, const CompileFlags &Flags, const std::string &Question);

/// The user's text of the file that the step reads. Which names `##` makes is taken from Clang's text, `Ours`: as long
/// as all macros are the same, so are these. Fails with ExitCode::BadInput where nvcc does not preprocess the file.
llvm::Expected<UsersText> nvccText(const Toolchain &Tools, const NvccStep &Step, const UsersText &Ours);

} // namespace cufuse
