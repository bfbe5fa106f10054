// The few places where the user's text changes: the kernel's head, dynamic shared memory, leading `::`.
#pragma once

#include "SelectCopied.h"
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
  TextPlace At;
  unsigned Length = 0;
  OutputText Text;
  Edit::When Made = Edit::When::Always;
  std::string Parameter = {};
  KnownCondition Control = {};
  std::optional<Blocker> Cannot = {};
};

/// What changes in a stretch of the user's text, and what of it cannot.
struct TextEdits {
  SourceText &Text;
  Slice Of;
  std::vector<Blocker> &Blockers;
  std::vector<PlacedEdit> All = {};

  /// Is the place inside?
  bool holds(clang::SourceLocation Where) const { return Text.holds(Of, Where); }
  void refuse(BlockerKind Kind, clang::SourceLocation Where, std::string Fact) {
    Blockers.push_back({Kind, Text.unit().place(Where), std::move(Fact)});
  }
};

/// Turns the head of a kernel (a declaration of it) into that of a body: `__global__` becomes
/// `__device__ __forceinline__`, launch attributes go, `Parameters` are inserted before the kernel's own, and before
/// those the `CufuseRow` and the `CufuseTurn` that linked text asks.
/// `Always`: also where the kernel does not play elements.
/// `__grid_constant__` parameters become references to the fused kernel's, and those that the `Instance` that is fused
/// copies by code, references to copies of its bytes.
void editKernelHead(TextEdits &Edits, const clang::FunctionDecl &Kernel, const clang::FunctionDecl &Instance,
                    const std::string &Parameters, bool Always);

/// `extern __shared__ T a[];` becomes a reference to the array at `cufuse_dynamicOffset` of the partition's dynamic
/// shared memory. `OutOfReach` name the array where no reference can be captured: there, its memory is spelled.
void editDynamicShared(TextEdits &Edits, const clang::VarDecl &Variable,
                       llvm::ArrayRef<const clang::DeclRefExpr *> OutOfReach);

/// Where copied declarations name dynamic shared memory that is declared at file scope.
struct SharedReferences {
  std::vector<const clang::DeclRefExpr *> All;
  bool IsAmbiguous = false; ///< Its name means something else there, too.
};
SharedReferences dynamicSharedNamed(const SelectCopied &Chosen, const clang::VarDecl &Variable);

/// There, `Name` takes the variable's place, but for what a macro spells.
void editReferences(TextEdits &Edits, llvm::ArrayRef<const clang::DeclRefExpr *> References, const std::string &Name);

/// Threads announce that they leave: `return;` of the kernel becomes `return cufuse_partition::leave();`, and if
/// `AtEnd`, so does the end of its body.
void editReturns(TextEdits &Edits, const FunctionUse &Kernel, bool AtEnd);

} // namespace cufuse
