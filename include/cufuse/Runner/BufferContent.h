// What stands in a workload's buffers, and whether two contents agree. On the host, on all cores; no CUDA.
#pragma once

#include "cufuse/Runner/RunnerJob.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

namespace cufuse {

/// A piece of a buffer: whole elements from the `First` on, as many bytes as there is room. Fails with
/// ExitCode::BadInput when a file cannot be read or has not the length of the whole buffer.
///
/// Element i depends on the seed and on i alone (SplitMix64 of both), so that the same job has the same content
/// everywhere. `Constant`, `Iota` (A + i·B), `Uniform` and `Normal` (Box–Muller) are computed in double precision and
/// converted: integers by truncation toward zero, saturated at their type's bounds; floating point to nearest.
llvm::Error fillContent(const BufferSpec &Buffer, std::uint64_t First, llvm::MutableArrayRef<std::uint8_t> Into);

struct Difference {
  std::uint64_t Index; ///< Of the first element that differs.
  std::string Expected, Found;
  std::uint64_t Count; ///< Of elements that differ.
};

/// Compares two pieces of contents of this type, of equal length. Bit for bit, or, with a tolerance, |found − expected|
/// ≤ Absolute + Relative·|expected|; two NaNs agree, one does not.
std::optional<Difference> firstDifference(ElementType Type, const Tolerance &Tolerance,
                                          llvm::ArrayRef<std::uint8_t> Expected, llvm::ArrayRef<std::uint8_t> Found);

/// What outputs hold before a checked run, repeated: a NaN as a float, a number nobody computes as most others.
constexpr std::uint32_t Poison = 0x7FDEC0DE;

} // namespace cufuse
