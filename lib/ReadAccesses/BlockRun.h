// A block of a kernel, run on symbols: what it stores, as terms of what it loads.
#pragma once

#include "SymbolicNumbers.h"
#include "Terms.h"

#include "cufuse/Support/BlockShape.h"

#include <llvm/IR/Instructions.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cufuse {

/// Runs all threads of block blockIdx.x of a grid in x, where both are symbols: for any block of any grid. Threads
/// change only where they wait for each other: any order is right for a kernel without races. Indices are taken not to
/// overflow.
class BlockRun {
public:
  /// `Arguments`, in order; pointers among them are to objects 0, 1 and so on, by the argument's number. Elements of
  /// argument `In` are of `Bytes` each, and terms; each block has `PerBlock` of them.
  BlockRun(const llvm::Function &Kernel, BlockShape Block, std::vector<SymbolicValue> Arguments, unsigned In,
           unsigned Bytes, std::int64_t PerBlock);
  ~BlockRun();

  struct Stop {
    const llvm::Instruction *At; ///< Null: no place.
    std::string Why;
  };
  /// Nothing if all threads ended.
  std::optional<Stop> run();
  Terms &terms() { return All; }
  /// What was stored behind an argument, by bytes from its begin.
  using Memory = std::map<SymbolicNumber, std::pair<unsigned, SymbolicValue>>; ///< With its bytes.
  const Memory &stored(unsigned Argument) const;

private:
  class Runner;
  Terms All;
  std::unique_ptr<Runner> Own;
};

} // namespace cufuse
