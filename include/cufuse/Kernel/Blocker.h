// Why a kernel cannot be fused: a closed list. Every enumerator has a test in test/Refused that names it.
#pragma once

#include "cufuse/Support/Error.h"

#include <string>

namespace cufuse {

enum class BlockerKind {
#define BLOCKER(Name, Meaning, Remedy) Name,
#include "cufuse/Kernel/Blockers.def"
};

/// The enumerator's name, as it appears in messages and test names.
const char *blockerName(BlockerKind Kind);
/// What the user can do about it.
const char *blockerRemedy(BlockerKind Kind);

struct Blocker {
  BlockerKind Kind;
  SourcePlace Where;
  std::string Fact; ///< What stands at that place, in words.

  Message message() const;
};

/// For that reason alone.
llvm::Error refuse(const Blocker &Reason);
/// For all of them; no error where there is none.
llvm::Error refuse(llvm::ArrayRef<Blocker> Reasons);

} // namespace cufuse
