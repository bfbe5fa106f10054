// What the host's compilation of the output reads of the copies, where that may not be what the device's reads.
#pragma once

#include "SelectCopied.h"
#include "SourceText.h"

#include "cufuse/Analysis/HostText.h"

#include <set>
#include <string>
#include <vector>

namespace cufuse {

/// Copies in the header, and variables of the device, are compiled for the host, too, and there must be what the
/// kernel's file has for the host. Regions inside a declaration are copied whole. Refused (`HostReadsOther`): what
/// stands in a region that depends on `__CUDA_ARCH__`, of which only the device's part is copied; and what names
/// something that may not be copied inside such a region.
class CheckHostsText {
public:
  CheckHostsText(const HostText &Host, SourceText &Text, const SelectCopied &Chosen)
      : Host(Host), Text(Text), Chosen(Chosen) {}

  void declaration(const Slice &S, std::vector<Blocker> &Blockers);
  void macro(const MacroEvent &Macro, std::vector<Blocker> &Blockers);
  /// The place of an `#include`.
  void include(clang::SourceLocation Hash, std::vector<Blocker> &Blockers) const;
  /// Overloads and specialisations by these names that Clang does not accept, but nvcc does: one of `__host__` alone,
  /// of a template for both.
  void unread(const std::set<std::string> &Names, std::vector<Blocker> &Blockers);
  bool differs(clang::SourceLocation Where) const { return Host.mayDiffer(Where); }

private:
  bool differs(clang::FileID File, unsigned At) const { return Host.mayDiffer(Text.location({File, At, At})); }
  /// The names and operators in it, with an `include` for each file, but not those of conditions.
  std::vector<TextToken> words(const Slice &S);
  std::set<unsigned> localNames(const Slice &S); ///< By their places.
  bool isLeftOut(llvm::StringRef Name);
  void leaveOut(const clang::NamedDecl &Named);
  /// With what the macros among them expand to.
  std::set<std::string> expanded(std::set<std::string> Names) const;
  bool isIdentifier(llvm::StringRef Word) const;

  const HostText &Host;
  SourceText &Text;
  const SelectCopied &Chosen;
  std::optional<std::set<std::string>> LeftOut;
};

} // namespace cufuse
