// A kernel as LLVM IR for the device: what it does, whatever the text looks like. Destructors, captures, references
// and default arguments are just code there.
#pragma once

#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Reach/Reach.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <map>
#include <memory>
#include <optional>

namespace llvm {
class Regex;
class CallBase;
class DILocation;
class DISubprogram;
class Function;
class GlobalValue;
class GlobalVariable;
class IRBuilderBase;
class Instruction;
class LLVMContext;
class Module;
class Value;
} // namespace llvm

namespace cufuse {

/// A function or a variable that another function's code names, before anything is inlined.
struct CodeReference {
  const clang::FunctionDecl *From; ///< The definition.
  const clang::ValueDecl *To;
  const llvm::DILocation *At; ///< Null where no place is known.
};

/// What tensor copies with a swizzle count on, in bytes: it goes by the address, and repeats after so many at most (PTX
/// ISA, swizzling modes). Shared memory alone begins at a multiple of that.
constexpr unsigned BulkAlignment = 1024;

class DeviceIr {
public:
  ~DeviceIr();
  /// Generates the kernel and all that it reaches, inlines what has a body, and puts variables into registers. Branches
  /// stay as they are written: nothing is speculated, hoisted or sunk. Null where Clang cannot generate code, so that
  /// nothing is known of the kernel: its text has errors, or Clang fails.
  static std::unique_ptr<DeviceIr> generate(const ParsedUnit &Unit, const Reached &Reach);
  /// The same of any function, with the values of variables, and with what else is named in `Also`. `Change` is given
  /// the code before anything is inlined.
  static std::unique_ptr<DeviceIr> generate(const ParsedUnit &Unit, const Reached &Reach,
                                            llvm::ArrayRef<const clang::FunctionDecl *> Also,
                                            llvm::function_ref<void(DeviceIr &)> Change);

  /// All that is named on the ways from the kernel on, each once for each function; the kernel's first.
  llvm::ArrayRef<CodeReference> references() const { return References; }
  /// Where that is, in the text of the function.
  clang::SourceLocation where(const CodeReference &Reference) const;
  /// A variable that no text declares, and that the code may change, or "".
  const std::string &hiddenState() const { return HiddenState; }

  /// Calls that are left in it lead to functions without a body, through pointers, or into recursion.
  llvm::Function &kernel() const { return *Kernel; }
  /// What a function without a body was declared as; null for an intrinsic of LLVM.
  const clang::FunctionDecl *declaration(const llvm::Function &F) const;
  /// What a function or a variable was declared as; null for what nobody declares.
  const clang::ValueDecl *declared(const llvm::GlobalValue &Global) const { return Declared.lookup(&Global); }
  /// The assembly that an instruction was written as.
  const clang::GCCAsmStmt *assembly(const llvm::Instruction &I) const;
  const ParsedUnit &unit() const { return *Unit; }
  /// The innermost place in the user's files that led to the instruction, and the function there.
  SourcePlace place(const llvm::Instruction &I, std::string *Function = nullptr) const;
  clang::SourceLocation where(const llvm::Instruction &I, std::string *Function = nullptr) const;
  /// The function whose text has the place; null where it is none of the user's.
  const clang::FunctionDecl *functionAt(const llvm::DILocation &At) const;
  /// Where copying of a class was asked for, for what the compiler or a library makes of that.
  const llvm::DILocation *outsideCopies(const llvm::DILocation *At) const;
  /// What the kernel may do to the variable: anything, where its address is handed on.
  Change changeOf(const clang::VarDecl &Variable) const;
  /// In bytes, where accesses to the variable ask more than its type does: it has that where it is the first of its
  /// memory. What is done by assembly, or by a call that stays, may ask `Unknown`, but for no more than the variable
  /// has. 0 where they ask no more.
  unsigned alignmentAsked(const clang::VarDecl &Variable, unsigned Unknown) const;
  /// Is the instruction written in the headers of cooperative groups?
  bool isOfGroups(const llvm::Instruction &I) const;
  /// Or in those of `cub::BlockReduce`?
  bool isOfBlockReduce(const llvm::Instruction &I) const;
  /// Is it part of a copy that the compiler makes of a class, with what libraries copy of its members, where a function
  /// with a text asks for it? That text has the object as a whole.
  bool isOfImplicitCopy(const llvm::Instruction &I) const;

  using Places = std::map<std::pair<unsigned, unsigned>, clang::SourceLocation>; ///< By line and column.

private:
  DeviceIr() = default;
  const Places &placesIn(const clang::FunctionDecl &Function) const;
  const llvm::GlobalVariable *variable(const clang::VarDecl &Variable) const;

  const ParsedUnit *Unit = nullptr;
  /// Is the instruction written in headers with these names, which nobody's own code is called from?
  bool isOfLibrary(const llvm::Instruction &I, const llvm::Regex &Headers) const;

  const Reached *Reach = nullptr;
  std::vector<CodeReference> References;
  std::string HiddenState;
  std::unique_ptr<llvm::LLVMContext> Context;
  std::unique_ptr<llvm::Module> Module;
  llvm::Function *Kernel = nullptr;
  llvm::DenseMap<const llvm::Function *, const clang::FunctionDecl *> Declarations;
  llvm::DenseMap<const llvm::GlobalValue *, const clang::ValueDecl *> Declared;
  llvm::DenseSet<const llvm::DISubprogram *> ImplicitCopies, LibraryCopies;
  mutable std::optional<unsigned> Views; ///< Alignment of what memory is viewed as, once it was asked for.
  mutable llvm::DenseMap<unsigned, const clang::GCCAsmStmt *> Assembly; ///< By its place, once one was asked for.
  mutable std::map<const clang::FunctionDecl *, Places> PlacesIn;       ///< Of the functions that were asked for.
  mutable llvm::DenseMap<const llvm::DILocation *, const clang::FunctionDecl *> FunctionsAt; ///< The same.
  friend class DeviceIrBuilder;
};

/// The name of the intrinsic that is called, empty of any other value.
llvm::StringRef intrinsicName(const llvm::Value *V);
/// A read of `%tid.x`, and of all three into an object.
llvm::Value *readRegister(llvm::IRBuilderBase &Build, Builtin Variable, unsigned Dimension);
void fillFromRegisters(llvm::IRBuilderBase &Build, llvm::Value *Object, Builtin Variable);
/// Is it a function of libdevice, which works on what it is given?
bool isArithmetic(const llvm::CallBase &Call);

} // namespace cufuse
