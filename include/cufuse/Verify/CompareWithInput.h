// A kernel's body in the output means what the kernel means in its own file: Clang's trees of both are walked at once.
//
// In: the kernel as its file was parsed, and the function that the parse of the output found in its place. Out: the
// differences. Nothing is compared by name or place, and nothing is taken from the emitter but the plan. A reader's
// guide to the rules:
//
// - *Statements and expressions* (lib/Verify/CompareStatements.cpp) are compared class by class: the same class, what
//   that class says beside its parts (operators, values of literals, kinds of casts, types that are asked about), the
//   same type, and the same parts in the same order. Implicit nodes are compared like others. A class without a rule is
//   a difference. Only what stands for its one part (parentheses, constants as evaluated, template parameters as
//   substituted, ends of full expressions) is looked through.
// - *Declarations* (lib/Verify/CompareDeclarations.cpp) that are named come in pairs, in a bijection that is checked
//   both ways, and are compared in turn: functions by parameters, initialisers and bodies, the destructors that they
//   run included; variables by type, place, alignment and initialiser, so that functions in tables are reached, too;
//   classes by layout, bases, fields, triviality and virtual functions; enumerators by value; instantiations by their
//   arguments. A mutable variable that stays at its place is also the same one for the linker, and a function without a
//   body the same symbol. Only what is reached is compared, but all of that: libraries and shared headers, too, since
//   macros may make something else of the same text.
// - *Differences that are allowed* (lib/Verify/CompareEdits.cpp) are those that a fusion makes, each with what must
//   stand there instead: built-ins are those of this partition, barriers are the partition's, `return` announces
//   itself, dynamic shared memory is the partition's part, a grid-stride loop is the unrolled one, assembly has its
//   operands.
// - *What a vertical composition changes* (lib/Verify/CompareLinked.cpp): where a pointer is linked, the same element
//   of the object that stands for it is loaded or stored; the thread of a pointwise kernel is the only one of its
//   block, whose place what it calls has from it; conditions ask the turn or the row where they are known, and are the
//   kernel's.
//
// The text itself is not compared, token by token, as a second witness: what the trees do not hold (comments, spaces,
// names, declarations that nothing names) does nothing, and what they hold is compared, wherever it was copied from. A
// statement that is lost, doubled or changed is a difference of the trees.
//
// Not compared: the objects that a vertical composition puts in the place of pointers, and the order in which it calls
// its kernels (that is what lib/Dependence proves); what the fused kernel does around the calls of the bodies, but for
// the arguments that it hands on; what `__barrier_sync` and its like of the output do with the number; the counts in
// the frame of an unrolled loop; where an assertion says that it failed.
#pragma once

#include "cufuse/Frontend/ParsedKernel.h"
#include "cufuse/Plan/FusionPlan.h"

#include <string>
#include <vector>

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
};

/// What means something else in the output, the first thing found: nothing if all is the same.
std::vector<Blocker> compareWithInput(const ParsedKernel &Input, const ParsedUnit &Output,
                                      const clang::FunctionDecl &Body, const PlayedKernel &Played);

} // namespace cufuse
