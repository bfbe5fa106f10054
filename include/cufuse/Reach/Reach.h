// Everything that a kernel reaches: the functions it calls (as instantiated), the variables it reads, and the
// declarations of the user's files that its text and theirs name.
#pragma once

#include "cufuse/Frontend/Parse.h"
#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Reach/Declarations.h"
#include "cufuse/Reach/Intrinsics.h"

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>

#include <memory>
#include <set>
#include <vector>

namespace cufuse {

class DeviceIr;

/// A reading of threadIdx, blockIdx, blockDim or gridDim.
struct BuiltinRead {
  unsigned Builtin; ///< As in `cufuse::Builtin`.
  int Dimension;    ///< 0, 1, 2; −1 for the whole variable.
  bool OutsideBody; ///< In a lambda without a capture default or a local class: a parameter of the function is not
                    ///< visible.
  clang::SourceLocation Where;
};

/// A launch of a kernel in device code, or another mention of a kernel.
struct DeviceLaunch {
  const clang::FunctionDecl *Kernel;       ///< Null where only the run knows it.
  const clang::CUDAKernelCallExpr *Launch; ///< Null for another mention.
  clang::SourceLocation Where;
};

/// What a function's own body does, its callees left out.
struct FunctionUse {
  const clang::FunctionDecl *Function = nullptr; ///< The definition, as instantiated.
  bool System = false;
  /// For a system function: the place in the user's code that leads to it, and the function named there.
  clang::SourceLocation EnteredAt;
  const clang::FunctionDecl *EnteredAs = nullptr;
  std::vector<CallSite> Calls;
  std::vector<BuiltinRead> Reads;
  std::vector<const clang::VarDecl *> Shared; ///< `__shared__` variables declared in it.
  std::vector<const clang::VarDecl *> MutableStatics;
  std::vector<const clang::GCCAsmStmt *> Assembly;
  bool AssemblyUsesBlock = false;
  std::vector<DeviceLaunch> Launches;
  bool HidesCode = false; ///< Turns something else into what leads to code, or the other way round.
  std::vector<const clang::ReturnStmt *> Returns; ///< Outside lambdas and local classes.
};

struct Reached {
  const clang::FunctionDecl *Kernel = nullptr; ///< The definition, as instantiated.
  /// Functions with bodies, by definition; the kernel first.
  llvm::MapVector<const clang::FunctionDecl *, FunctionUse> Functions;
  llvm::SetVector<const clang::VarDecl *>
      Globals; ///< `__device__`, `__constant__` and file-scope `__shared__` variables.
  /// `__constant__` variables, those of functions and of libraries among them.
  llvm::SetVector<const clang::VarDecl *> Constants;
  /// Declarations at file or namespace scope of the user's files that some reached text names.
  llvm::SetVector<const clang::Decl *> Units;
  /// For each unit: the units its text names.
  llvm::DenseMap<const clang::Decl *, llvm::SetVector<const clang::Decl *>> References;
  /// Declarations at file or namespace scope outside the user's files that reached text names.
  llvm::SetVector<const clang::NamedDecl *> External;
  llvm::SetVector<const clang::NamespaceDecl *> Namespaces; ///< That reached text names, canonical.
  /// Leading `::` of qualified names.
  std::vector<clang::SourceLocation> GlobalQualifiers;
  bool HasErrors = false; ///< Some reached declaration is not valid.
  clang::SourceLocation ErrorAt;
  std::string ErrorFact; ///< Empty where only Clang's messages say what it is.
};

/// Functions of the user's, beside the kernel, that read a built-in that counts, or call one that does.
std::set<const clang::FunctionDecl *> readersOf(const Reached &Reach, bool (*Counts)(Builtin));

/// Functions of libraries that use the block, and of which the linker of relocatable code keeps one for all files. In a
/// fused file they are compiled for a part of the block.
llvm::SetVector<const clang::FunctionDecl *> libraryFunctionsOfLinker(const Reached &Reach);

/// Walks from the kernel, whose definition must exist, by what the text names.
Reached reach(const ParsedUnit &Unit, const clang::FunctionDecl &Kernel);
/// The same, and on by what only the code names: constructors and destructors that no expression calls, tables of
/// virtual functions, whatever the compiler adds. Returns the code, which refers to `Into`, null where there is none.
std::unique_ptr<DeviceIr> reach(const ParsedUnit &Unit, const clang::FunctionDecl &Kernel, Reached &Into);

} // namespace cufuse
