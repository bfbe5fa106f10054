// Which of the copied declarations the host's compilation must have: in the launcher's header, or beside the kernel.
#pragma once

#include "SelectCopied.h"
#include "SourceText.h"

#include "cufuse/Analysis/HostCode.h"
#include "cufuse/Kernel/KernelText.h"

namespace cufuse {

struct UnitsForHost {
  llvm::SetVector<const clang::Decl *> Header; ///< What the types of the parameters need, and the host calls with them.
  llvm::SetVector<const clang::Decl *> OnHost; ///< Variables of the device, and what these need.

  bool contains(const clang::Decl *Whole) const { return Header.contains(Whole) || OnHost.contains(Whole); }
};

/// The header may be included by several objects: must it say `inline`?
bool needsInline(const clang::Decl &Whole);

/// `InSignature`: what the parameters' types name. `HostShared`: variables that stay the program's, canonical. What
/// only the host would need leaves `Chosen` where it cannot go to the header.
UnitsForHost unitsForHost(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach, SelectCopied &Chosen,
                          const llvm::SetVector<const clang::Decl *> &InSignature,
                          const std::set<const clang::Decl *> &HostShared, SourceText &Text, KernelText &Result);

} // namespace cufuse
