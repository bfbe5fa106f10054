// What host code hands to kernels that it launches one after the other: their links.
#pragma once

#include "cufuse/Frontend/Parse.h"
#include "cufuse/Kernel/Accesses.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
class Stmt;
} // namespace clang

namespace cufuse {

/// A kernel whose launch is looked for.
struct LaunchedKernel {
  std::string Name; ///< In links.
  const clang::FunctionDecl *Kernel;
  std::set<std::string> Stores; ///< Parameters through which it may store.
  bool FollowsGrid = false;     ///< How much it stores depends on how many blocks there are.
  bool IsByThreads = false;     ///< It stores at the places that its threads have in the grid.
  bool IsUnbounded = false;     ///< It has as many elements as threads.
  /// What ends the elements of a store that it bounds by the block's number, by store: only lower blocks have some.
  std::vector<std::vector<Less>> Ends = {};
  std::set<size_t> Linked = {}; ///< Kernels before it whose arrays are linked by hand: the user knows of those two.
  std::set<const clang::Stmt *> Calls = {}; ///< One of these is meant; empty: any.
};

struct LaunchLinks {
  std::vector<std::string> Links;           ///< As after `--link`.
  std::vector<std::string> MaybeLinks = {}; ///< The same, of numbers of other names that are equal here.
  std::vector<SourcePlace> Places;          ///< Of the launches, by kernel.
  /// What stands between them and may use the kernels' memory: then the links are none to fuse by.
  std::optional<SourcePlace> Between = std::nullopt;
  /// The launches of those that follow it, or that are written with fewer blocks than they have elements for. Otherwise
  /// one barrier of the grid makes them one.
  bool HaveOneGrid = true;
  bool AreSeenToReach = true; ///< Otherwise grids of kernels with bounds are computed, and taken to have all elements.
  /// How many elements kernels without a bound have, products of their arguments, by kernel; where it is of no use, or
  /// not known, nothing.
  std::vector<std::string> Elements;
  /// By kernel that follows its grid: how many blocks it has, as a number or a product of arguments of a kernel, and of
  /// which. An empty product: not known.
  std::vector<std::optional<std::pair<size_t, std::string>>> Blocks = {};
  bool HaveOneStream = true;   ///< Otherwise theirs are seen to be others.
  bool HandStructures = false; ///< With pointers of one type to two of them, in which they may share memory.
  bool IsConditional = false;  ///< One of them is left out where a condition does not hold.
  /// Otherwise a kernel that follows its grid comes before one with bounds and another grid, which may go on with the
  /// elements of the first, since the launch is asked for as many, but not in its threads.
  bool MayShareThreads = true;
  bool EndsInOneBlock = false;   ///< All but the first have one block: the last of the first's may go on with them.
  bool BeginsInOneBlock = false; ///< All but the last have one block: the first of the last's may begin with them.
  /// Some are given what others store. Not known of values that are not, or of parts of an array.
  bool ShareMemory = false, AreKnown = true;
  /// By kernel: parameters that are handed one array, to which the kernel stores by one of them.
  std::vector<std::vector<std::pair<std::string, std::string>>> OneArray;
  /// Of all pointers that they are handed, in order: the first that is the same; nothing where that is not known.
  std::vector<std::optional<size_t>> Arrays = {};
  /// Launches of the same kernels, or the same ones by another call, in which arrays differ that are linked here.
  std::vector<SourcePlace> Otherwise = {};
  bool areDependent() const { return ShareMemory && AreKnown; }
};

/// The links of the kernels, in their order, where a function of the unit's files launches them one after the other,
/// itself or by functions that it calls. Two parameters are linked if both launches give them the same variable, member
/// or product of such, which nothing in between changes. Of several such launches, the first, that share memory if any
/// do. Nothing if there are none.
std::optional<LaunchLinks> linksOfLaunches(const ParsedUnit &Unit, llvm::ArrayRef<LaunchedKernel> Kernels);

/// Launches one after the other in a function of the unit's files, itself or by functions that it calls, under the same
/// conditions, with nothing between that may use their kernels' memory.
struct LaunchChain {
  std::vector<const clang::FunctionDecl *> Kernels;
  LaunchLinks Links;
};
/// All pairs, and behind the pairs of three or more that depend on each other these as one. Beside them, pairs that
/// depend on each other, but for what their `Between` says.
/// \p Find gives what is known of kernels; fewer where one does not count.
std::vector<LaunchChain>
launchChains(const ParsedUnit &Unit,
             llvm::function_ref<std::vector<LaunchedKernel>(llvm::ArrayRef<const clang::FunctionDecl *>)> Find);

} // namespace cufuse
