// Macros that the users' headers and commands define, and what these may make of the text of an output.
#pragma once

#include "Writer.h"

#include "cufuse/Emit/Emit.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <utility>

namespace cufuse {

bool isMacroOutside(llvm::ArrayRef<Constituent> Constituents, llvm::StringRef Name);

/// Text of ours means what it says, whatever macros the headers of the users define; so does what it includes.
void writeOurs(Writer &To, llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options,
               llvm::function_ref<void(Writer &)> Emit, llvm::StringRef Included = {});

/// Macros of the text that some header defines, too, maybe another constituent's: these keep their meaning behind it.
/// And names of the text that are macros of another constituent's headers only: here they are none. Out: those to
/// restore behind the text.
std::set<std::string> saveMacros(Writer &To, llvm::ArrayRef<Constituent> Constituents, const Constituent &C);
void restoreMacros(Writer &To, const std::set<std::string> &Names);

/// Assertions that macros from outside, whose meaning decides what the text is, say what they did when it was read.
class MacroComparison {
public:
  MacroComparison(llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options)
      : Constituents(Constituents), Options(Options) {}

  /// What the assertions need, if there are any.
  void writePrelude(Writer &To) const;
  /// Those of a constituent, but for what others have asserted before.
  void write(Writer &To, const Constituent &C);

private:
  std::vector<MacroText> expected(const Constituent &C) const;

  llvm::ArrayRef<Constituent> Constituents;
  const EmitOptions &Options;
  std::set<std::pair<std::string, std::string>> Compared;
};

} // namespace cufuse
