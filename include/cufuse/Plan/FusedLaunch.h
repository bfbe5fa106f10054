// The arithmetic of the emitted launcher, for launching a fused kernel without compiling it: by the driver API, from
// cufuse-runner. No Clang, no CUDA.
#pragma once

#include "cufuse/Plan/FusionPlan.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cufuse {

/// As in <<<grid, block, dynamicBytes>>> of the kernel alone.
struct ConstituentLaunch {
  std::array<std::uint32_t, 3> Grid{1, 1, 1};
  std::uint64_t DynamicBytes = 0;
};

/// A parameter of the fused kernel.
struct FusedParameter {
  int Constituent = -1;            ///< Whose argument it is; -1: one that the launcher computes.
  std::string Name;                ///< Of the constituent's parameter.
  std::vector<std::uint8_t> Bytes; ///< Of a computed one.
  std::uint32_t ZeroedBytes = 0;   ///< Of a computed one that points to counters, which start at zero.
};

struct FusedLaunch {
  std::string Kernel; ///< `fusedEntry`.
  std::array<std::uint32_t, 3> Grid{1, 1, 1}, Block{1, 1, 1};
  std::uint32_t DynamicBytes = 0;
  std::vector<FusedParameter> Parameters; ///< In the order of the kernel's.
};

/// How the mangled name of the plan's kernel begins, in the namespace `Name`: the one with bound arguments where the
/// plan has any. No other kernel of the fused source begins so.
std::string fusedEntry(const FusionPlan &Plan, const std::string &Name);

/// The kernel is the one with bound arguments where the plan has any: the caller gives just these.
/// `Resident`: fused blocks that fit on an SM at once, `Multiprocessors` of them. Fails as the emitted launcher does.
llvm::Expected<FusedLaunch> launchOf(llvm::ArrayRef<const KernelFacts *> Facts, const FusionPlan &Plan,
                                     const std::string &Name, llvm::ArrayRef<ConstituentLaunch> Launches,
                                     unsigned Resident, unsigned Multiprocessors);

} // namespace cufuse
