// Reads of memory as it is now, which another thread may have written since the last one: atomics, volatile memory,
// assembly; and plain loads, which are read again behind a fence.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>
#include <unordered_map>
#include <vector>

namespace cufuse {

enum class Effect {
  None,
  Adds,  ///< Of Operand; zero is None where it is a constant.
  Marks, ///< Writes; to do so again may change nothing.
  Compares,
};

struct Read {
  const llvm::Instruction *I = nullptr;
  const llvm::Value *Address = nullptr; ///< Null: anything.
  Effect Does = Effect::None;
  /// Of Compares, what it compares with. Null where the text has it.
  const llvm::Value *Operand = nullptr;
  bool IsPlain = false;
  bool IsCached = false; ///< By an operator for another cache, which alone does not say that others write.
  bool IsBound = false;  ///< It writes no more than that bound: once it is there, that changes nothing.
  bool IsOfBlock = false;
  bool IsLoop = false;     ///< A loop by itself, in assembly.
  bool IsMbarrier = false; ///< Of the block, and nothing else writes it.
  /// Of an asynchronous copy, where in shared memory it puts what it reads.
  const llvm::Value *To = nullptr;
};

/// Is the code of the call not part of the function?
bool isOfUnknownCode(const llvm::Instruction &I);

/// What a load with a cache hint reads, by a function that Clang does not have; null of other calls.
const llvm::Value *readByHint(const llvm::CallBase &Call);

/// A fence for other blocks, or a pause: what is behind it is read again, and who waits has one.
bool isFence(const llvm::Instruction &I);

/// Are they computed alike?
bool isSamePlace(const llvm::Value &A, const llvm::Value &B);

using Objects = llvm::SmallVector<const llvm::Value *, 4>;

/// What an address, a pointer or an integer, leads into.
Objects objectsOf(const llvm::Value &Address);

/// Where an address comes from: an object, or a pointer that is kept in it, or where that leads to.
struct Origin {
  const llvm::Value *Object = nullptr; ///< Null: anywhere.
  bool IsKept = false;
  std::optional<int64_t> Member; ///< Where in a parameter the pointer is kept, if that is known.
};

std::vector<Origin> originsOf(const llvm::Value &Address);

/// May both lead to the same memory? Not those of different arguments, nor those of different members of one.
bool mayMeet(const Origin &A, const Origin &B);

/// Shared memory, or the thread's own.
bool isOfBlock(const llvm::Value *Object);

/// What instructions read and write, looked at once.
class FreshReads {
public:
  /// Null if it reads nothing that may have changed.
  const Read *of(const llvm::Instruction &I);
  /// The place that an instruction writes again and again, null if none: a bound is reached once.
  const llvm::Value *writtenBy(const llvm::Instruction &I);
  /// The place that it may change at all.
  const llvm::Value *changedBy(const llvm::Instruction &I);
  /// Is all that it leads into shared memory, or the thread's own?
  bool isOfBlock(const llvm::Value &Address);
  bool isSameObject(const llvm::Value &A, const llvm::Value &B);
  /// May a place that the instruction writes be one that is read? Not where they are different members of elements.
  bool mayMeet(const llvm::Instruction &Write, const Read &Other);

private:
  const llvm::Value *storedBy(const llvm::Instruction &I);
  const Objects &knownObjectsOf(const llvm::Value &Address);
  const std::vector<Origin> &knownOriginsOf(const llvm::Value &Address);

  std::unordered_map<const llvm::Instruction *, std::optional<Read>> Reads;
  std::unordered_map<const llvm::Value *, Objects> Known;
  std::unordered_map<const llvm::Value *, std::vector<Origin>> Origins;
};

} // namespace cufuse
