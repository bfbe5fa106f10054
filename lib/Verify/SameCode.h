// Are two functions of LLVM IR the same but for names? The functions are of two modules, each with its own context.
//
// Blocks are walked in pairs from the entries on. What does something, reads memory or may not return must be the same
// in the same order; what is computed is compared where it is used, down to arguments, constants, and what was done
// before. All is one bijection: of blocks, arguments, results, local variables, global variables, and functions that
// are called, whose bodies are compared in turn. What nothing uses does not count. Not compared: names, places in the
// text, hints for optimisation and for aliasing.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class DataLayout;
class GlobalValue;
class GlobalVariable;
class PHINode;
class Type;
} // namespace llvm

namespace cufuse {

/// The first that is found.
struct CodeDifference {
  std::string What;
  /// Where it is; null where it is no instruction's.
  const llvm::Instruction *InA = nullptr, *InB = nullptr;
};

class SameCode {
public:
  virtual ~SameCode() = default;
  /// `B` may have parameters in front of those of `A`.
  std::optional<CodeDifference> compare(const llvm::Function &A, const llvm::Function &B);

protected:
  /// What returns false has said a difference.
  bool differ(std::string What);
  bool differ(const std::string &What, const std::string &A, const std::string &B);
  bool value(const llvm::Value *A, const llvm::Value *B);

  /// By what they are made of: names of structures are those of the text.
  static bool isSame(const llvm::Type *A, const llvm::Type *B);
  /// What else is known of two variables: that they are the same, or not, beside the bijection. Nothing by default.
  virtual std::optional<bool> variable(const llvm::GlobalVariable &, const llvm::GlobalVariable &) { return {}; }
  /// Assembly, in `A` at least.
  virtual bool assembly(const llvm::CallBase &A, const llvm::CallBase &B);
  /// For messages.
  virtual std::string nameOf(const llvm::GlobalValue &Global) const;
  bool KnowsMore = false; ///< Of `B`, that something lies where its type asks for it.
  bool sameType(const llvm::GlobalVariable &A, const llvm::GlobalVariable &B);
  bool sameArguments(const llvm::CallBase &A, const llvm::CallBase &B);

private:
  bool function(const llvm::Function &A, const llvm::Function &B, unsigned Before);
  bool block(const llvm::BasicBlock &A, const llvm::BasicBlock &B);
  bool blocks(const llvm::BasicBlock *A, const llvm::BasicBlock *B);
  bool phi(const llvm::PHINode &A, const llvm::PHINode &B);
  bool operation(const llvm::User *A, const llvm::User *B);
  bool details(const llvm::Instruction &A, const llvm::Instruction &B);
  bool sameAlignment(llvm::Align A, llvm::Align B);
  /// Is it a variable of the output's own, which it may align by more than the input?
  static bool isDefined(const llvm::Value &V);
  bool call(const llvm::CallBase &A, const llvm::CallBase &B);
  bool address(const llvm::Value *A, const llvm::Value *B);
  bool constant(const llvm::Constant &A, const llvm::Constant &B);
  bool global(const llvm::GlobalValue &A, const llvm::GlobalValue &B);
  bool global(const llvm::GlobalVariable &A, const llvm::GlobalVariable &B);
  bool global(const llvm::Function &A, const llvm::Function &B);
  /// They stand for each other from here on.
  bool pair(const llvm::Value *A, const llvm::Value *B);
  std::string described(const llvm::Value *V) const;

  void addLive(const llvm::Function &F);
  bool isOrdered(const llvm::Instruction &I) const;

  llvm::DenseMap<const llvm::Value *, const llvm::Value *> Forward, Back;
  llvm::DenseSet<std::pair<const llvm::Value *, const llvm::Value *>> Known; ///< What is computed the same way.
  llvm::DenseSet<const llvm::Value *> Live;                                  ///< Reads that something depends on.
  std::vector<std::pair<const llvm::Function *, const llvm::Function *>> Functions;
  std::vector<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>> Blocks;
  std::vector<std::pair<const llvm::PHINode *, const llvm::PHINode *>> Phis;
  const llvm::DataLayout *Layout = nullptr; ///< Both are for one target.
  const llvm::Instruction *InA = nullptr, *InB = nullptr;
  std::optional<CodeDifference> Found;
};

} // namespace cufuse
