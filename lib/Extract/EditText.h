// The few places where the user's text changes. Each kind of edit has a file of its own; what stands first is in
// EditText.cpp.
#pragma once

#include "SelectCopied.h"
#include "SourceText.h"

#include "cufuse/Facts/GridStrideLoop.h"
#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Kernel/KernelText.h"
#include "cufuse/Reach/Assembly.h"
#include "cufuse/Reach/ControlStatements.h"
#include "cufuse/Reach/Reach.h"

#include <map>
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

/// `__shared__ T a[n];` becomes `__shared__ T a[n] __attribute__((aligned(16)));`: alone, the first variable of a
/// block's static shared memory lies at its beginning, and code may access it by vectors, whatever its type.
void editAlignment(TextEdits &Edits, const clang::VarDecl &Variable, unsigned Bytes);

/// `__shared__ T a;` in a function becomes an array with one for each block that the text plays, where it plays several
/// (`Edit::When::Lanes`), and a reference to the block's own. Gives whether it is written so that it can.
bool editStaticShared(TextEdits &Edits, const clang::VarDecl &Variable);

/// `extern __shared__ T a[];` becomes a reference to the array at `cufuse_dynamicOffset` of the partition's dynamic
/// shared memory. `OutOfReach` name the array where no reference can be captured: there, its memory is spelled.
void editDynamicShared(TextEdits &Edits, const clang::VarDecl &Variable,
                       llvm::ArrayRef<const clang::DeclRefExpr *> OutOfReach);

/// `extern __shared__ T a[];`
bool isDynamicShared(const clang::VarDecl &Variable);

/// `Name` takes the variable's place, but for what a macro spells.
void editReferences(TextEdits &Edits, llvm::ArrayRef<const clang::DeclRefExpr *> References, const std::string &Name);

/// Built-ins, and dynamic shared memory at file scope, whose names mean something else in copied text, too: no macro
/// has the name there. The indices of the grid are parameters, but where functions read them.
class RenamedVariables {
public:
  RenamedVariables() = default;
  RenamedVariables(const ParsedUnit &Unit, const Reached &Reach, const SelectCopied &Chosen, const KernelFacts &Facts);

  std::string nameFor(const clang::VarDecl &SharedMemory) const;
  std::string nameFor(llvm::StringRef Builtin) const;
  void edit(TextEdits &Edits) const;
  std::string directiveOf(SourceText &Text, const MacroEvent &Macro) const;

  /// By name.
  std::map<std::string, std::vector<const clang::DeclRefExpr *>, std::less<>> Builtins;

private:
  std::map<const clang::VarDecl *, std::vector<const clang::DeclRefExpr *>> Shared; ///< Canonical.
  std::set<TextPlace> InMacros;
};

/// Threads announce that they leave: `return;` of the kernel becomes `return cufuse_partition::leave();`, and if
/// `AtEnd`, so does the end of its body.
void editReturns(TextEdits &Edits, const FunctionUse &Kernel, bool AtEnd);

/// Where the kernel plays elements, what it calls that reads `blockIdx` or `gridDim` takes them from it: they are
/// inserted before the parameters of each of these functions, and handed on by each call.
void editReaders(TextEdits &Edits, const Reached &Reach, const KernelFacts &Facts);

// Loops and conditions: those that are known, or counted, where kernels follow each other in one loop or one block, and
// the loop that is unrolled.

/// Of a loop over the row, `for (int i = threadIdx.x; i < n; …)` becomes
/// `for (int i = threadIdx.x; cufuse_row.next(i, i < n); …)`, fully unrolled. Of every loop in the stretch, or why it
/// cannot be.
void editRowLoops(TextEdits &Edits, const ControlStatements &Controls);

/// Of known conditions, `if (i < n)` becomes `if (cufuse_turn.inside(i < n))`, `if (i >= n)` becomes
/// `if (cufuse_turn.beyond(i >= n))`, and the condition of the loop over the grid `cufuse_turn.once(i < n)`. Those in
/// macros stay, since nothing depends on it.
void editKnownConditions(TextEdits &Edits, const ControlStatements &Controls);

/// What the loop is where it is unrolled by a factor. With loads that may go ahead, several turns
/// become one: their values of the loop's variable and what they load come first, and then the turns' own work in
/// order. Otherwise the compiler unrolls it. Edits nothing outside the stretch.
void editGridStrideLoop(TextEdits &Edits, const GridStrideLoop &Loop);

// Pointers that come from linked parameters, in the kernel and in the functions that it hands them to.

/// What changes where a parameter is linked, which becomes an object, `cufuse_pointer<T, Kind>`:
///
/// - in the kernel's head it is declared `cufuse_linked_NAME`;
/// - `const float *p = …`, which comes from it, is declared `const auto p`, `auto p` if it is moved, and
///   `float &element = p[i]` is `auto &&element`;
/// - `reinterpret_cast<float4 *>(p)` becomes `cufuse_as<float4>(p)`, so does `(float4 *)p`;
/// - `&p[i]` becomes `(p + (i))`;
/// - a function that is handed it is a template, beside itself, where the parameter is `cufuse_pointer<float, Kind>`; a
///   lambda has it as `auto`.
///
/// Whatever else is done to them stays as it is: what does not compile then, is refused. `AccessSite::Direct` says
/// which accesses go well with that.
struct LinkedPointers {
  std::vector<PlacedEdit> Edits;
  std::vector<HandedOn> Calls;                          ///< Of functions that are handed pointers.
  std::map<const clang::Decl *, std::string> Functions; ///< These, canonical, as HandedOn calls them.
  std::map<const clang::Decl *, std::string> Templates; ///< What begins the template that one of them becomes.
  bool Moves = false;                                   ///< Some pointer is computed from another.
};

/// `Names` of the kernel's parameters are by position.
LinkedPointers linkedPointers(SourceText &Text, const Reached &Reach, llvm::ArrayRef<std::string> Names);

/// In a declaration of the kernel, whose definition is `Instance`, what a linked parameter is.
void editLinkedParameters(TextEdits &Edits, const clang::FunctionDecl &Kernel, const clang::FunctionDecl &Instance,
                          llvm::ArrayRef<std::string> Names);

// Inline assembly that names special registers or barriers of the block, friends, and names.

/// What a statement says of the block becomes what the partition has: `%%tid.x` an operand `threadIdx.x`, the number of
/// a barrier an operand `cufuse_barrier(number)`, and `bar.sync 0` alone the partition's barrier. Operands are added
/// behind the inputs, so that the others keep their numbers. Built-ins are called as `Renamed` says.
void editAssembly(TextEdits &Edits, const clang::GCCAsmStmt &Assembly, const RenamedVariables &Renamed);

/// A class no longer names kernels as its friends: theirs are other functions in the output, and what a kernel uses of
/// the class is public (`FriendKernel`).
void editFriends(TextEdits &Edits, const clang::Decl &Whole);

/// A call of a copied function with an argument of class type finds functions at the class's scope, too, by
/// argument-dependent lookup: the original where its header stays included, and those of another constituent's headers.
/// A qualified name finds the copy alone: each such callee gets its namespaces. Calls out of macros are left as they
/// are, and so are those whose instances differ.
void qualifyCallees(TextEdits &Edits, const Reached &Reach, const SelectCopied &Chosen);

/// A type of the toolkit as the kernel's parameters name it: with `::` where its namespaces, or those that they use,
/// have the name, too.
std::string toolkitType(const clang::FunctionDecl &Kernel, llvm::StringRef Name);

} // namespace cufuse
