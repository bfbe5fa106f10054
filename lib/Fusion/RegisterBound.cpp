#include "cufuse/Fusion/RegisterBound.h"

#include <algorithm>
#include <limits>

namespace cufuse {

SmLimits smLimits(const std::string &Arch) {
  const std::string Number = Arch.substr(0, Arch.find_last_of("0123456789") + 1);
  if (Number == "sm_70" || Number == "sm_75")
    return {64 * 1024, Number == "sm_70" ? 2048u : 1024u, (Number == "sm_70" ? 96u : 64u) * 1024};
  if (Number == "sm_80" || Number == "sm_87")
    return {64 * 1024, Number == "sm_80" ? 2048u : 1536u, 164 * 1024};
  if (Number == "sm_86" || Number == "sm_89" || Number == "sm_120" || Number == "sm_121")
    return {64 * 1024, 1536, 100 * 1024};
  return {};
}

std::optional<RegisterBound> hfuseRegisterBound(const SmLimits &Sm, llvm::ArrayRef<SoloUse> Solo,
                                                unsigned FusedSharedBytes) {
  unsigned Threads = 0;
  unsigned Blocks = std::numeric_limits<unsigned>::max();
  for (const SoloUse &Use : Solo) {
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
