// A kernel's body in the output is the kernel in its own file, as device code.
//
// In: the kernel as its file was parsed, and the function that a parse of the output found in its place. Out: the first
// difference. Clang makes code of both, with all that they reach, which is inlined and compared under one bijection
// (lib/Verify/SameCode.h). Nothing is compared by name or place, and nothing is taken from the emitter but the plan:
//
// - *What a fusion adds* is read as what it stands for (lib/Verify/Neutral.h): a partition's built-ins are the
// kernel's,
//   its barriers the block's, its part of dynamic shared memory all of it. The fused block's own have other names, so
//   that a body that reads them is another.
// - *What a vertical composition changes*: the objects that stand for pointers are the pointers, in a parse of the same
//   text for the comparison alone, and a turn or a row that is asked for a condition gives the condition. That the
//   right ones are asked is compared by their numbers.
// - *Loops over the grid* that are unrolled must be the text that the kernel's file gives for that; what is compared is
//   the loop as it is there.
// - *Assembly* has operands where the kernel's names registers and barriers.
// - *Variables*: a mutable one that stays at its place is the same one for the linker, and a function without a body
// the
//   same symbol. All others are compared by type, place, alignment and value; functions in tables are reached, too.
// - *Exits*: each `return` of a kernel whose threads say that they leave says so.
//
// Only what is reached is compared, but all of that: libraries and shared headers, too, since macros may make something
// else of the same text. What the code does not hold (comments, names, layouts that nobody asks for) does nothing.
//
// Not compared: the objects that a vertical composition puts in the place of pointers, and the order in which it calls
// its kernels (that is what lib/Dependence proves); what the fused kernel does around the calls of the bodies, but for
// the arguments that it hands on; what `__barrier_sync` and its like of the output do with the number; which loads go
// ahead in an unrolled loop; where an assertion says that it failed; what tells the compiler how to unroll, and what
// may alias beyond what the kernel says.
#pragma once

#include "cufuse/Frontend/ParsedKernel.h"
#include "cufuse/Plan/FusionPlan.h"

#include <map>
#include <string>
#include <vector>

namespace clang {
class SourceLocation;
class ValueDecl;
} // namespace clang

namespace cufuse {

/// What the body is in the output.
struct PlayedKernel {
  const KernelFacts &Facts;
  const FusionPlan &Plan;
  const PartitionPlan &Partition;
  std::string Output;                 ///< The namespace of what a fusion adds.
  std::string Around;                 ///< That of the partition's text, or of its copy.
  std::string Space;                  ///< That of the kernel's text: of a composed one inside.
  const ComposedPart *Part = nullptr; ///< Where it is one of several in a composition.
  unsigned OwnParameters = 0;         ///< Of the kernel; those of the body that come before are added.
};

/// Whose each `__shared__` variable of the output is: the namespace of the kernel's text.
using SharedVariables = std::map<const clang::ValueDecl *, std::string>;

/// What means something else in the output, the first thing found: nothing if all is the same. What `Shared` has of
/// another kernel's is not this one's; its own are added.
std::vector<Blocker> compareWithInput(const ParsedKernel &Input, const ParsedUnit &Output,
                                      const clang::FunctionDecl &Body, const PlayedKernel &Played,
                                      SharedVariables &Shared);

/// The place that the `#line` directives of the output say: in a file of the users, or in the output.
SourcePlace sourceOf(const ParsedUnit &Output, clang::SourceLocation Where);

} // namespace cufuse
