// Kernels that depend on each other, as their arrays tell: which of them may be one launch, and what that moves.
#pragma once

#include "cufuse/Gpu/ResourceUse.h"
#include "cufuse/Model/LaunchGroup.h"

#include <llvm/ADT/ArrayRef.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cufuse {

struct Problem;

/// An array, with the constituents that touch it, by position; these are in the order of their launches.
struct GraphArray {
  std::string Name;
  std::uint64_t Bytes = 0;
  std::vector<unsigned> Readers, Writers; ///< Sorted.
  bool Dead = false;                      ///< Nobody reads it behind the last kernel.

  bool isUsedBy(unsigned Constituent) const;
};

struct GraphFacts {
  std::vector<GraphArray> Arrays;
  /// Constituents that links by arrays join, each pair once, the earlier one first.
  std::vector<std::pair<unsigned, unsigned>> Links;
};

/// Constituents by launch; sorted, and each in one of them.
using Launches = std::vector<std::vector<unsigned>>;

/// The constituents of a launch.
std::vector<unsigned> membersOf(const Problem &P, const LaunchGroup &Group);
/// Has the later one to wait for the earlier one, since one of them writes what the other one touches?
bool dependsOn(const GraphFacts &Graph, unsigned Later, unsigned Earlier);
/// The launches in an order that does the same as one kernel after the other; nothing where there is none, since a
/// kernel would have to run between those of a launch.
std::optional<Launches> inOrder(const GraphFacts &Graph, Launches Groups);

/// Bytes that one launch of these constituents loads and stores: each array that it reads and does not make itself
/// once, and each that it writes, unless it is dead and nobody else touches it.
std::uint64_t bytesMoved(const GraphFacts &Graph, llvm::ArrayRef<unsigned> Group);

/// Microseconds of the launches one after the other, by the bytes that they move. `Compiled`: of all fused launches
/// together. What a thread spills beyond what the constituents spill is moved, too. `P.Graph` is there.
double predictLaunches(const Problem &P, llvm::ArrayRef<LaunchGroup> Groups,
                       const std::optional<ResourceUse> &Compiled);
/// The same of every constituent by itself.
double predictSeparate(const Problem &P);
/// Microseconds in which the GPU's memory moves every array that stays once; 0 where its bandwidth is not known.
double leastMicroseconds(const Problem &P);

} // namespace cufuse
