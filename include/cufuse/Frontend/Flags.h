// nvcc's command line, as Clang understands it.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace cufuse {

struct CompileFlags {
  std::vector<std::string> Nvcc;    ///< What nvcc was given, without input, output and mode: for compiling the result.
  std::vector<std::string> Clang;   ///< What it means for a parse, but for the macros and the language.
  std::vector<std::string> Macros;  ///< -D, -U and -include, in order: what one file may see unlike another.
  std::string Standard;             ///< `c++20`, or empty for nvcc's default.
  std::vector<std::string> Ignored; ///< Flags that mean nothing to a parse.
  std::optional<std::string> Arch;  ///< `sm_90a`, from -arch or the last -gencode.
  std::vector<std::string> Architectures; ///< -arch, -gencode and -code as they were written: nvcc compiles for each.
  std::vector<std::string> Arithmetic; ///< -use_fast_math, -ftz, -prec-div, -prec-sqrt and -fmad, as they were written.
  std::string Unclear;                 ///< Why nvcc reads other flags than these; empty: it does not.
  /// What else may change the code, but for the folders of headers: by nvcc's short names, sorted.
  std::vector<std::string> Settings;
  std::string Compiler;     ///< The nvcc of a compile_commands.json; empty: not known.
  bool Relocatable = false; ///< -rdc=true or -dc: variables are shared with other objects.
};

/// The words of a command line, as a shell splits it.
std::vector<std::string> wordsOf(llvm::StringRef CommandLine);

/// The later of two language standards.
std::string laterStandard(const std::string &A, const std::string &B);

/// Translates flags of nvcc (or of a host compiler) as written after `--`. Relative directories stay relative to
/// `Directory`, or to the current directory when it is empty.
CompileFlags translateFlags(llvm::ArrayRef<std::string> Flags, const std::string &Directory = {});

/// With these of nvcc, a file finds what an input in \p Folder includes as "…", and by <…> nothing more.
std::vector<std::string> besideInput(const std::string &Folder);

/// The flags of `File` in the compile_commands.json of `BuildDirectory`.
llvm::Expected<CompileFlags> flagsFromDatabase(const std::string &BuildDirectory, const std::string &File);

} // namespace cufuse
