// The parameters of a kernel and its name, as the output writes them.
#pragma once

#include "SelectCopied.h"

#include "cufuse/Kernel/KernelText.h"

namespace cufuse {

struct Signature {
  std::vector<ParameterText> Parameters;
  OutputText Callee;                          ///< See `KernelText::Callee`.
  llvm::SetVector<const clang::Decl *> Named; ///< What the parameters' types name.
  std::vector<Blocker> Blockers;
};
Signature signature(const ParsedUnit &Unit, const Reached &Reach, const KernelFacts &Facts, const SelectCopied &Chosen);

} // namespace cufuse
