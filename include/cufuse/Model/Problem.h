// What a search is about: the constituents, the launch shapes they may have, the GPU. Numbers only: no CUDA, no Clang.
#pragma once

#include "cufuse/Gpu/ResourceUse.h"
#include "cufuse/Model/Graph.h"
#include "cufuse/Support/BlockShape.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cufuse {

struct GpuFacts {
  std::string Name;   ///< `NVIDIA H200`
  std::string Arch;   ///< `sm_90a`
  std::string Driver; ///< `580.95`
  unsigned Multiprocessors = 132;
  double DramBytesPerMicrosecond = 0; ///< Peak; 0 where it is not known.
};

/// One launch shape of a constituent, and what is known of the constituent alone in this shape.
struct SoloShape {
  BlockShape Block;
  std::uint64_t Blocks = 1; ///< Of its grid.
  std::uint64_t DynamicBytes = 0;
  std::optional<ResourceUse> Resources = {};
  double Microseconds = 0; ///< Median; 0: not measured.
  double RelativeNoise = 0;
  std::map<std::string, double> Counters; ///< By metric name of the CUPTI Range Profiler.
};

struct ConstituentProblem {
  std::string Name;
  /// At least one; the first is the shape given. Others only where the block size may be chosen.
  std::vector<SoloShape> Shapes;
  /// Factors to try for its outer loop, that of `best` first; 0 leaves it to the compiler. Greater ones than the first
  /// are for resident blocks, of which fewer then do.
  std::vector<unsigned> Unrolls = {0};
  std::vector<std::pair<std::string, std::string>> Bound = {}; ///< Arguments fixed at compile time.

  bool isTunable() const { return Shapes.size() > 1; }
  /// The measured shape with the shortest time; the first where none was measured.
  const SoloShape &best() const;
  /// How many times as many loads a warp has in flight as alone at its best; 1 where it has fewer.
  double deepening(unsigned Unroll) const {
    const unsigned Alone = Unrolls.front();
    return Alone > 0 && Unroll > Alone ? static_cast<double>(Unroll) / Alone : 1;
  }
};

struct Problem {
  std::string Workload; ///< Its name, for people.
  GpuFacts Gpu;
  std::vector<ConstituentProblem> Constituents;
  std::optional<GraphFacts> Graph = {}; ///< Of kernels that depend on each other, in the order of their launches.
};

/// Block shapes to try of those that are allowed, in their order: all, or, of more than 16, the first, which is the one
/// given, and those of 64, 128, 192, 256, 384, 512 … 1024 threads.
std::vector<BlockShape> blockChoices(std::vector<BlockShape> Allowed);

} // namespace cufuse
