// The few places where the user's text changes: the kernel's head, dynamic shared memory, leading `::`.
#pragma once

#include "SourceText.h"

#include "cufuse/Analysis/KernelFacts.h"
#include "cufuse/Analysis/Reach.h"
#include "cufuse/Fusion/OutputText.h"

#include <set>
#include <string>
#include <vector>

namespace cufuse {

struct Edit {
  std::pair<clang::FileID, unsigned> At;
  unsigned Length = 0;
  OutputText Text;
  bool WhereUnrolled = false; ///< Only where the grid-stride loop is unrolled, in place of the others inside it.
};

/// Applies edits to the text of a slice; those that are for unrolled loops only if `Unrolled`. Nothing when one lies
/// outside the slice or two overlap.
std::optional<OutputText> applyEdits(const Slice &S, llvm::StringRef Text, llvm::ArrayRef<Edit> Edits,
                                     bool Unrolled = false);

/// Turns the head of a kernel (a declaration of it, in `S`) into that of a body: `__global__` becomes
/// `__device__ __forceinline__`, launch attributes go, `Parameters` are inserted before the kernel's own.
/// `__grid_constant__` parameters become references to the fused kernel's.
void editKernelHead(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const clang::FunctionDecl &Kernel,
                    const std::string &Parameters, std::vector<Edit> &Edits, std::vector<Blocker> &Blockers);

/// In a declaration of the kernel, parameters get the type `cufuse_linked_NAME`; `Names` are by position, "" for those
/// that keep theirs.
void editLinkedParameters(const ParsedUnit &Unit, SourceText &Text, const clang::FunctionDecl &Kernel,
                          llvm::ArrayRef<std::string> Names, std::vector<Edit> &Edits, std::vector<Blocker> &Blockers);

/// `extern __shared__ T a[];` becomes a reference to the array at `Offset` of the partition's dynamic shared memory.
void editDynamicShared(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const clang::VarDecl &Variable,
                       const std::string &Offset, std::vector<Edit> &Edits, std::vector<Blocker> &Blockers);

/// Threads announce that they leave: `return;` of the kernel becomes `return cufuse_partition::leave();`, and if
/// `AtEnd`, so does the end of its body.
void editReturns(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const FunctionUse &Kernel, bool AtEnd,
                 std::vector<Edit> &Edits, std::vector<Blocker> &Blockers);

/// Names that the kernel's file uses for something else than the built-in, in a slice: a macro would break them.
void checkBuiltinNames(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const std::set<std::string> &Rebound,
                       std::vector<Blocker> &Blockers);

} // namespace cufuse
