// What a compiled output may do, as its first line says.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <map>
#include <set>
#include <string>

namespace cufuse {

/// What the fused kernel and all that it calls may say of the threads around them. What is not here is refused.
struct PtxExpectation {
  std::string Name;                                ///< The namespace of the fused kernels.
  unsigned Threads = 0;                            ///< Of a fused block.
  std::map<unsigned, std::set<unsigned>> Barriers; ///< Number, and the counts that it may have.
  std::set<unsigned> NamedBarriers;                ///< Those that users name: any count.
  bool BlockBarrier = false;                       ///< Barrier 0, of all threads.
  std::set<std::string> Registers;                 ///< `tid.x`: those that may be read, besides PtxRegister::Kind::Any.
  bool LibrariesReadThem = false;                  ///< In assembly, too.
  bool Exits = false;                              ///< Threads end where the kernel returns.
  bool Warps = false;                              ///< Instructions of several lanes are known to occur, or do no harm.
  bool Copies = false;                             ///< The same of asynchronous copies.
  bool Warpgroups = false;                         ///< The same of products of matrices by four warps.
  bool Dependents = false;                         ///< The next launch may begin.
  std::set<unsigned> Budgets;                      ///< Of setmaxnreg.
  std::set<std::string> Tables;                    ///< Variables of which the output has copies, that nothing changes.
  bool Coherent = false; ///< Memory is written and read by kernels of one launch: no `ld.global.nc`.

  friend bool operator==(const PtxExpectation &, const PtxExpectation &) = default;
};

/// With it among the registers, a cluster's barrier may occur, too.
constexpr const char *ClusterRank = "cluster_ctarank";

/// One line of comment, the first of every output: no text of a user stands before it.
std::string expectationLine(const PtxExpectation &Expected);

/// Whether the text begins with such a line, of any version.
bool hasExpectation(llvm::StringRef Source);
/// Fails as bad input where it does not, or with one of another version.
llvm::Expected<PtxExpectation> readExpectation(llvm::StringRef Source);

} // namespace cufuse
