// The parts of the output that a host program sees.
#pragma once

#include "Writer.h"

#include "cufuse/Emit/Emit.h"

namespace cufuse {

/// What the fused kernel is given for a constituent: its type and name there, and the launcher's word for it behind the
/// constituent's name. The pools are of no constituent.
struct AddedText {
  const char *Type, *Name, *Given;
};
const AddedText &textOf(AddedParameter Added);

/// The declaration of `launch`, without its end.
std::string launchSignature(llvm::ArrayRef<Constituent> Constituents);

/// The argument structure and the launch structure of one constituent, inside its namespace. `TextSpace` is where the
/// types copied from its file are.
void emitArguments(Writer &Out, const Constituent &C, const std::string &TextSpace);

/// The host function that validates the arguments and launches `fused`.
void emitLauncher(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan);

} // namespace cufuse
