// The few places where the user's text changes: the kernel's head, dynamic shared memory, leading `::`.
#pragma once

#include "SourceText.h"

#include "cufuse/Analysis/Reach.h"
#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Kernel/KernelText.h"

#include <set>
#include <string>
#include <vector>

namespace cufuse {

/// An edit at its place in a file.
struct PlacedEdit {
  std::pair<clang::FileID, unsigned> At;
  unsigned Length = 0;
  OutputText Text;
  Edit::When Made = Edit::When::Always;
  std::string Parameter = {};
  KnownCondition Control = {};
  std::optional<Blocker> Cannot = {};
};

/// Turns the head of a kernel (a declaration of it, in `S`) into that of a body: `__global__` becomes
/// `__device__ __forceinline__`, launch attributes go, `Parameters` are inserted before the kernel's own, and before
/// those the `CufuseRow` and the `CufuseTurn` that linked text asks.
/// `__grid_constant__` parameters become references to the fused kernel's.
void editKernelHead(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const clang::FunctionDecl &Kernel,
                    const std::string &Parameters, std::vector<PlacedEdit> &Edits, std::vector<Blocker> &Blockers);

/// In a declaration of the kernel, a parameter that is linked gets the type `cufuse_linked_NAME`; `Names` are by
/// position.
void editLinkedParameters(const ParsedUnit &Unit, SourceText &Text, const clang::FunctionDecl &Kernel,
                          llvm::ArrayRef<std::string> Names, std::vector<PlacedEdit> &Edits);

/// `extern __shared__ T a[];` becomes a reference to the array at `Offset` of the partition's dynamic shared memory.
void editDynamicShared(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const clang::VarDecl &Variable,
                       const std::string &Offset, std::vector<PlacedEdit> &Edits, std::vector<Blocker> &Blockers);

/// Threads announce that they leave: `return;` of the kernel becomes `return cufuse_partition::leave();`, and if
/// `AtEnd`, so does the end of its body.
void editReturns(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const FunctionUse &Kernel, bool AtEnd,
                 std::vector<PlacedEdit> &Edits, std::vector<Blocker> &Blockers);

/// Names that the kernel's file uses for something else than the built-in, in a slice: a macro would break them.
void checkBuiltinNames(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const std::set<std::string> &Rebound,
                       std::vector<Blocker> &Blockers);

} // namespace cufuse
