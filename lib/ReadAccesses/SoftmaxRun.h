// A block of a kernel of rows, run on numbers: what it stores, where the way to it holds for rows of any numbers.
#pragma once

#include "BlockRunner.h"

#include "cufuse/ReadAccesses/Softmax.h"

#include <functional>

namespace cufuse {

/// One of many: which numbers there are, and which block of how many is run.
struct SoftmaxDraw {
  std::function<double(std::int64_t Element)> Element; ///< From the first of the block.
  std::function<double(unsigned Argument)> Argument;   ///< That is a real number.
  unsigned Block, Blocks;
};

struct SoftmaxRun {
  std::optional<RunStop> Stopped;   ///< Nothing if all threads ended.
  std::vector<double> Stored;       ///< For the elements of the block.
  const llvm::Instruction *At = {}; ///< Which stored the first.
  /// A comparison by the block's number, or by how many there are: what came of it, and how far apart the two are.
  struct Way {
    const llvm::Instruction *By;
    bool Holds;
    std::int64_t Apart;
  };
  std::vector<Way> Ways;
};

/// Real numbers are computed in double precision, with float's range. What is only right for some numbers ends the run:
/// an exponential of what is not x - m, with m no less than x whatever the elements are, a way that goes by elements
/// otherwise than to the larger of two, and what is rounded before it is stored.
SoftmaxRun runRows(const llvm::Function &Kernel, const KernelAccesses &Accesses, const SoftmaxLaunch &Launch,
                   const SoftmaxDraw &Of);

/// As float has it, but for its rounding.
double inRangeOfFloat(double N);

} // namespace cufuse
