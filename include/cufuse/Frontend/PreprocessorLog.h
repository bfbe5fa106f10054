// What the preprocessor did, as far as a copy of a part of the file needs it.
#pragma once

#include <clang/Basic/FileEntry.h>
#include <clang/Basic/SourceLocation.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang {
class MacroInfo;
class PPCallbacks;
class Preprocessor;
} // namespace clang

namespace cufuse {

/// `#define` or `#undef` in a file of the user, or what `#pragma pop_macro` does.
struct MacroEvent {
  std::string Name;
  clang::SourceLocation Where;  ///< Of the name.
  const clang::MacroInfo *Info; ///< Null for `#undef`.
};

/// An `#include` in a file of the user.
struct IncludeEvent {
  clang::SourceLocation Hash;
  std::string Spelled;
  bool Angled;
  bool System; ///< The file included is a system header.
  clang::OptionalFileEntryRef File;
  std::string SearchPath; ///< The folder it was found in.
};

/// A macro defined in one file of the user that text of an included file depends on.
struct ConfigurationUse {
  std::string Macro;
  const clang::MacroInfo *Info;
  clang::SourceLocation Use;
};

/// Where text of a file of the user is expanded from such a macro, directly or through another macro: however its name
/// came about.
struct MacroUse {
  std::string Name;
  clang::SourceLocation Where; ///< In the file, of the outermost expansion.
};

/// A `#pragma` or `_Pragma` that says of what nvcc warns.
struct PragmaEvent {
  clang::SourceLocation Where;
  std::string Text; ///< As a directive.
};

/// What the place of a macro's call decides, among that of which the call is made.
struct PlaceUse {
  bool Line = false;               ///< `__LINE__`
  std::optional<unsigned> Counter; ///< The first `__COUNTER__`.
};

struct PreprocessorLog {
  /// Which files each file includes, those of systems, too, as far as they were read as text.
  std::map<const clang::FileEntry *, std::set<const clang::FileEntry *>> IncludedBy;
  std::vector<MacroEvent> Macros; ///< In order.
  std::vector<IncludeEvent> Includes;
  std::vector<ConfigurationUse> Configuration;
  std::vector<MacroUse> Uses;
  std::map<clang::SourceLocation, PlaceUse> PlaceUses; ///< By where the call begins.
  std::vector<PragmaEvent> Pragmas;
  /// Regions that were skipped, by location of the `#if` (or `#else`, …) and the end of the region.
  std::vector<clang::SourceRange> Skipped;
};

/// Callbacks that fill `Log`, which must outlive the preprocessor.
std::unique_ptr<clang::PPCallbacks> recordPreprocessor(clang::Preprocessor &Preprocessor, PreprocessorLog &Log);

/// Adds what `#pragma pop_macro` did, which Clang reports to nobody, once the file is read.
void recordPoppedMacros(const clang::Preprocessor &Preprocessor, PreprocessorLog &Log);

} // namespace cufuse
