#include "cufuse/Gpu/RegisterBound.h"

#include <algorithm>
#include <limits>

namespace cufuse {

std::optional<RegisterBound> hfuseRegisterBound(const SmLimits &Sm, llvm::ArrayRef<SoloUse> Solo,
                                                unsigned FusedSharedBytes, unsigned FusedThreads) {
  unsigned Threads = FusedThreads;
  unsigned Blocks = std::numeric_limits<unsigned>::max();
  for (const SoloUse &Use : Solo) {
    if (FusedThreads == 0)
      Threads += Use.Threads;
    Blocks = std::min(Blocks, Sm.Registers / std::max(1u, Use.Threads * Use.RegistersPerThread));
  }
  if (FusedSharedBytes > 0)
    Blocks = std::min(Blocks, Sm.SharedBytes / FusedSharedBytes);
  Blocks = std::min(Blocks, Sm.Threads / std::max(1u, Threads));
  if (Threads == 0 || Blocks == 0)
    return std::nullopt;
  return RegisterBound{Blocks, Sm.Registers / (Blocks * Threads)};
}

} // namespace cufuse
