// How many blocks of a kernel are resident on a streaming multiprocessor (SM) at once.
#pragma once

#include <cstdint>
#include <string>

namespace cufuse {

/// Resources of one SM. The defaults are those of sm_90. Sources: CUDA C++ Programming Guide, "Technical Specifications
/// per Compute Capability"; the rules of allocation are those of the toolkit's `cuda_occupancy.h`.
struct SmLimits {
  unsigned Registers = 64 * 1024;
  unsigned Threads = 2048;
  unsigned SharedBytes = 228 * 1024;
  unsigned Blocks = 32;
  unsigned BlockSharedBytes = 227 * 1024; ///< For one block, after opting in.
  unsigned ReservedShared = 1024;         ///< Bytes of each block that the driver takes.
  unsigned SharedGranularity = 128;       ///< Bytes in which shared memory is given out.
  unsigned Barriers = 64;                 ///< Of all resident blocks; 0: they limit nothing.
};

/// By architecture, `sm_70` … `sm_121a`; the defaults for one that is not in the table.
SmLimits smLimits(const std::string &Arch);

/// What one block needs.
struct BlockUse {
  unsigned Threads = 0;
  unsigned Registers = 0;        ///< Per thread.
  std::uint64_t SharedBytes = 0; ///< Static and dynamic.
  unsigned Barriers = 0;
};

struct Occupancy {
  unsigned Blocks = 0; ///< Per SM; 0: not even one fits.
  unsigned Warps = 0;  ///< Of these blocks.
};

Occupancy occupancyOf(const SmLimits &Sm, const BlockUse &Block);

/// The most registers per thread, a multiple of 8 and at most 248, with which `Blocks` blocks of `Threads` threads are
/// resident; 0 when there is none. This is also what ptxas gives to `__launch_bounds__(Threads, Blocks)` at most.
unsigned registersForResidency(const SmLimits &Sm, unsigned Threads, unsigned Blocks);

} // namespace cufuse
