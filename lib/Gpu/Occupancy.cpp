#include "cufuse/Gpu/Occupancy.h"

#include "cufuse/Support/BlockShape.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace cufuse {

namespace {
constexpr unsigned SubPartitions = 4;        // of an SM, each with its own register file
constexpr unsigned WarpRegisters = 256;      // granularity: registers are given to warps in steps of so many
constexpr unsigned MaxThreadRegisters = 256; // 255 that can be named
constexpr unsigned BlockRegisters = 64 * 1024;
constexpr unsigned KB = 1024;

struct ArchLimits {
  const char *Arch;
  SmLimits Sm;
};
constexpr ArchLimits Table[] = {
    {"sm_70", {64 * KB, 2048, 96 * KB, 32, 96 * KB, 0, 256, 0}},
    {"sm_75", {64 * KB, 1024, 64 * KB, 16, 64 * KB, 0, 256, 0}},
    {"sm_80", {64 * KB, 2048, 164 * KB, 32, 163 * KB, 1024, 128, 0}},
    {"sm_86", {64 * KB, 1536, 100 * KB, 16, 99 * KB, 1024, 128, 0}},
    {"sm_87", {64 * KB, 1536, 164 * KB, 16, 163 * KB, 1024, 128, 0}},
    {"sm_89", {64 * KB, 1536, 100 * KB, 24, 99 * KB, 1024, 128, 0}},
    {"sm_90", {}},
    {"sm_100", {}},
    {"sm_103", {}},
    {"sm_110", {64 * KB, 1536, 228 * KB, 24, 227 * KB, 1024, 128, 24}},
    {"sm_120", {64 * KB, 1536, 100 * KB, 24, 99 * KB, 1024, 128, 24}},
    {"sm_121", {64 * KB, 1536, 100 * KB, 24, 99 * KB, 1024, 128, 24}},
};

} // namespace

SmLimits smLimits(const std::string &Arch) {
  const std::string Number = Arch.substr(0, Arch.find_last_of("0123456789") + 1);
  for (const ArchLimits &Known : Table)
    if (Number == Known.Arch)
      return Known.Sm;
  return {};
}

Occupancy occupancyOf(const SmLimits &Sm, const BlockUse &Block) {
  const unsigned Warps = llvm::divideCeil(Block.Threads, WarpSize);
  if (Warps == 0 || Block.Threads > MaxBlockThreads)
    return {};
  unsigned Blocks = std::min(Sm.Threads / WarpSize / Warps, Sm.Blocks);
  if (Block.Registers > 0) {
    const unsigned PerWarp = llvm::alignTo(Block.Registers * WarpSize, WarpRegisters);
    // The launch is checked as if all sub-partitions had as many warps as the fullest.
    const bool Fits =
        Block.Registers <= MaxThreadRegisters && PerWarp * llvm::alignTo(Warps, SubPartitions) <= BlockRegisters;
    Blocks = std::min(Blocks, Fits ? Sm.Registers / SubPartitions / PerWarp * SubPartitions / Warps : 0);
  }
  if (Block.SharedBytes > Sm.BlockSharedBytes)
    Blocks = 0;
  else if (const std::uint64_t Shared = llvm::alignTo(Block.SharedBytes + Sm.ReservedShared, Sm.SharedGranularity))
    Blocks = std::min<std::uint64_t>(Blocks, Sm.SharedBytes / Shared);
  if (Sm.Barriers > 0 && Block.Barriers > 0)
    Blocks = std::min(Blocks, Sm.Barriers / Block.Barriers);
  return {Blocks, Blocks * Warps};
}

unsigned registersForResidency(const SmLimits &Sm, unsigned Threads, unsigned Blocks) {
  for (unsigned Registers = 248; Registers > 0; Registers -= 8)
    if (occupancyOf(Sm, {Threads, Registers, 0, 0}).Blocks >= Blocks)
      return Registers;
  return 0;
}

} // namespace cufuse
