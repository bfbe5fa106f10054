// Kernels as the proofs of vertical fusion see them: written down by hand or drawn, and run thread by thread.
#pragma once

#include "cufuse/Dependence/Links.h"
#include "cufuse/Support/BlockShape.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace cufuse {

/// Values of parameters, built-in variables and loops, by their atoms.
using Values = std::map<std::string, std::int64_t>;

/// The index of a thread in a grid of one dimension.
inline const std::string Linear = "blockIdx.x * blockDim.x + threadIdx.x";

class TestKernel {
public:
  explicit TestKernel(std::string Name = "kernel");
  TestKernel(const TestKernel &) = delete;
  TestKernel &operator=(const TestKernel &) = delete;

  void array(const std::string &Name, bool Restrict = true);
  void number(const std::string &Name);

  /// An expression of C without casts, in parameters, built-in variables and variables of loops. Quotients become atoms
  /// of the kernel, remainders what is left of them.
  Polynomial value(const std::string &Expression);
  /// `for (Variable = Start; …; Variable += Step)`
  unsigned loop(const std::string &Variable, const std::string &Start, const std::string &Step);

  /// In the body of the loop, which goes on while `Left < Right`.
  PathStep in(unsigned Loop, const std::string &Left, const std::string &Right);
  /// Where `Left < Right` holds, and where it does not. If it is not exact, something else is asked, too.
  PathStep where(const std::string &Left, const std::string &Right, bool Exact = true);
  PathStep unless(const PathStep &Condition) const;

  void store(const std::string &Parameter, const std::string &Index, std::vector<PathStep> Path = {},
             unsigned Width = 1);
  void load(const std::string &Parameter, const std::string &Index, std::vector<PathStep> Path = {},
            unsigned Width = 1);

  /// Of this kernel, which must outlive it. Its shape is what `recogniseShape` says.
  VerticalNode node();

  /// All accesses of a site, over the whole launch: the first element, and the values that the thread has there.
  void run(const AccessSite &Site, const Values &Arguments, BlockShape Block, BlockShape Grid,
           llvm::function_ref<void(std::int64_t, const Values &)> Access) const;

  KernelFacts Facts;
  KernelAccesses Accesses;
  ShapeFacts Shape;

private:
  void access(AccessSite::Kind Kind, const std::string &Parameter, const std::string &Index, std::vector<PathStep> Path,
              unsigned Width);

  std::vector<PathStep> Conditions; ///< By the numbers of branches, as where they hold.
};

/// The value of a polynomial, in which quotients are computed as C does.
std::int64_t valueOf(const Polynomial &P, const Values &Of, const std::map<std::string, Quotient> &Quotients);
/// The value of an expression of C.
std::int64_t valueOf(const std::string &Expression, const Values &Of);

/// Numbers that are the same in every run.
class Draw {
public:
  explicit Draw(unsigned Seed) : Engine(Seed) {}
  std::int64_t number(std::int64_t Least, std::int64_t Most) {
    return Least + static_cast<std::int64_t>(Engine() % static_cast<std::uint64_t>(Most - Least + 1));
  }
  bool once(unsigned In) { return number(1, In) == 1; }
  template <typename T> const T &of(const std::vector<T> &List) { return List[number(0, List.size() - 1)]; }

private:
  std::mt19937_64 Engine;
};

} // namespace cufuse
