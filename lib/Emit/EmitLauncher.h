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

/// The namespace of what the program names of a constituent. `Name`: the output's.
std::string argumentSpace(const std::string &Name, const Constituent &C);

/// The argument structure, with the types that it needs, and the launch structure of one constituent, inside its
/// namespace.
void emitArguments(Writer &Out, const Constituent &C, const std::string &Name);

/// The host function that validates the arguments and launches `fused`.
void emitLauncher(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan);

} // namespace cufuse
