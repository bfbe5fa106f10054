// The threads of a block, run on numbers: which way each goes, where they wait, what lanes hand each other.
#pragma once

#include "DividedMemory.h"
#include "LaneExchange.h"
#include "PartSets.h"

#include "cufuse/Support/BlockShape.h"

#include <llvm/IR/Operator.h>

#include <optional>
#include <string>
#include <vector>

namespace cufuse {

/// Why a run ended before its threads did.
struct RunStop {
  const llvm::Instruction *At; ///< Null: no place.
  std::string Why;
};

/// Runs all threads of a block. Threads change only where they wait for each other: any order is right for a kernel
/// without races. Who derives from it says what arguments are, and what counts of the numbers.
class BlockRunner : protected DividedMemory {
protected:
  using Number = DividedNumber;
  using Operation = Accumulation::Operation;
  enum class Wait : std::uint8_t { None, Block, Warp, Ended };
  struct Thread {
    std::vector<DividedNumber> Values;
    const llvm::Instruction *Next = nullptr;
    Wait For = Wait::None;
    unsigned X = 0, Y = 0, Z = 0, Number = 0;
    unsigned Way = 0, Whose = 0; ///< What is known of how it came here.
  };
  /// Block number `First` of `Blocks`, in x; there are `Parts` of a row.
  struct InGrid {
    unsigned First, Blocks, Parts;
  };

  BlockRunner(const llvm::Function &Kernel, BlockShape Block, DividedDraw Of, InGrid Grid, unsigned MostSteps);
  virtual ~BlockRunner() = default;

  void runThreads();
  void stop(const llvm::Instruction *At, std::string Why);
  void enter(Thread &T, const llvm::BasicBlock *From, const llvm::BasicBlock *To);
  void step(Thread &T);

  // -- What numbers are

  virtual Number argument(const llvm::Argument &A) = 0;
  virtual Number of(Thread &T, const llvm::Value *V);
  /// Of which all that chooses a way, a lane or a place is made.
  virtual std::optional<std::int64_t> known(const Number &N) const;
  /// Of what does not choose a way; nothing if it is not known what that does.
  virtual std::optional<Number> compute(Thread &T, const llvm::Instruction &I);
  virtual std::optional<Number> function(Thread &T, const llvm::CallBase &Call, llvm::StringRef Name) = 0;
  virtual std::optional<Number> assembly(Thread &T, const llvm::CallBase &Call, llvm::StringRef Text) = 0;
  virtual Number joinedOf(const llvm::Type *T, Operation By, const Number &A, const Number &B) = 0;
  /// A way that is not known: has it been gone nevertheless?
  virtual bool chooses(Thread &, const llvm::BranchInst &) { return false; }
  /// One that is: has it been gone otherwise?
  virtual bool enters(Thread &, const llvm::BasicBlock *, const llvm::BasicBlock *) { return false; }
  /// One that goes by the way.
  virtual Number chosen(const Thread &, Number N) { return N; }

  Number movedFrom(Thread &T, const llvm::GEPOperator &Gep);
  /// By what compilers compute at compile time, from the first operands.
  Number folded(Thread &T, const llvm::Instruction &I, unsigned Operands);
  Number special(const Thread &T, llvm::StringRef Register) const;
  /// By its word in LLVM's atomics and in `redux`.
  static Operation named(llvm::StringRef Word);
  unsigned lane(const Thread &T) const { return T.Number % 32; }

  const llvm::Function &Kernel;
  const BlockShape Block;
  const InGrid Grid;
  llvm::DenseMap<const llvm::Instruction *, unsigned> Slots;
  std::vector<Thread> Threads;
  PartSets Sets;
  std::optional<RunStop> Stopped; ///< Nothing if all threads ended.
  bool IsNoLaunch = false;        ///< It stopped since no launch has such arguments, or since it takes too long.

private:
  void reduce();
  void leave(Thread &T, const llvm::Instruction &I);
  void call(Thread &T, const llvm::CallBase &Call);
  std::optional<LaneExchange> exchangeOf(const llvm::CallBase &Call);
  bool meet(llvm::MutableArrayRef<Thread> Warp);
  void exchange(llvm::MutableArrayRef<Thread> Warp, llvm::ArrayRef<unsigned> Lanes, const llvm::CallBase &Call,
                const LaneExchange &How);
  Number received(const llvm::CallBase &Call, const LaneExchange &How, Number Given, Number Own, bool Whether);
  Number reduced(const llvm::CallBase &Call, llvm::ArrayRef<Number> All);
  Number ofConstant(Thread &T, const llvm::Constant *C, unsigned Parts);

  llvm::DenseMap<const llvm::CallBase *, std::optional<LaneExchange>> Exchanges;
  const unsigned MostSteps;
  unsigned Steps = 0;
};

} // namespace cufuse
