// The parts of the output that a host program sees.
#pragma once

#include "Writer.h"

#include "cufuse/Emit/Emit.h"

#include <set>

namespace cufuse {

/// What the fused kernel is given for a constituent: its type and name there, and the launcher's word for it behind the
/// constituent's name. The pools are of no constituent.
struct AddedText {
  const char *Type, *Name, *Given;
};
const AddedText &textOf(AddedParameter Added);

/// The declaration of `launch`, without its end.
std::string launchSignature(llvm::ArrayRef<Constituent> Constituents);

/// The declaration, up to `Tail`, of what launches a kernel alone by its arguments, and by the grid where that does not
/// follow from them. `Name`: the output's; `Space`: what leads to the kernel's namespace.
OutputText plainSignature(const Constituent &C, const FusionPlan &Plan, const std::string &Name,
                          const std::string &Space, const std::string &Tail);

/// What `launch` takes, with the stream last: of a kernel alone its arguments, else the launches' structures.
struct LaunchCall {
  std::vector<OutputText> Parameters, Arguments;
  std::set<std::string> Names;
  /// A name that none of them has.
  std::string free(std::string Name) const;
};
LaunchCall launchCall(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const std::string &Name);

/// How many elements such a launch has, in C++; `Grid`: the name of the grid, if it has one.
std::string elementCount(const Constituent &C, const std::string &Grid = "");

/// How many of them a block takes at a time, where the launcher makes the grid from them.
unsigned elementsOfBlock(const Constituent &C, const FusionPlan &Plan);

/// The namespace of what the program names of a constituent. `Name`: the output's.
std::string argumentSpace(const std::string &Name, const Constituent &C);

/// The argument structure, with the types that it needs, and the launch structure of constituent `I`, inside its
/// namespace.
void emitArguments(Writer &Out, llvm::ArrayRef<Constituent> Constituents, unsigned I, const FusionPlan &Plan,
                   const std::string &Name);

/// The definition of what `plainSignature` declares, which calls `launch`.
void emitPlainLaunch(Writer &Out, const Constituent &C, const FusionPlan &Plan, const std::string &Name);

/// The host function that validates the arguments and launches `fused`.
void emitLauncher(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                  const EmitOptions &Options, llvm::ArrayRef<Given> Needs);

} // namespace cufuse
