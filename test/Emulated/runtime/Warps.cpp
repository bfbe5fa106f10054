// Exchanges between lanes: one per warp and mask at a time. They wait for the lanes of the mask that have not exited (PTX
// ISA, shfl.sync).
#include "Scheduler.h"

namespace cuda_emulated {
namespace {

struct Pending {
  const char *name = nullptr;
  Finish finish = nullptr;
  unsigned mask = 0; ///< As the program said it.
  unsigned arrived = 0;
  Exchange data;
};

struct Warp {
  Pending pending[32];
  unsigned count = 0;
  unsigned active = 0; ///< Lanes that ask which others are here.
};

CUDA_EMULATED_OF_BLOCK Warp warps[MaxWarps];

void finishIfAllCame(Warp &warp, unsigned number, Pending &p) {
  p.data.mask = p.mask & block.alive[number];
  if (p.arrived != p.data.mask)
    return;
  p.finish(p.data);
  for (unsigned lanes = p.arrived; lanes; lanes &= lanes - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(lanes));
    threads[number * 32 + lane].result = p.data.result[lane];
    wake(number * 32 + lane);
  }
  p = warp.pending[--warp.count];
}

} // namespace

unsigned long long exchange(const char *name, unsigned mask, Finish finish, unsigned long long value,
                            unsigned argument) {
  const unsigned number = current / 32, lane = current % 32;
  if (!(mask >> lane & 1))
    fail("%s with mask %08x by lane %u, which is not in it", name, mask, lane);
  Warp &warp = warps[number];
  unsigned at = 0;
  while (at < warp.count && warp.pending[at].mask != mask)
    ++at;
  Pending &p = warp.pending[at];
  if (at == warp.count) {
    ++warp.count;
    p.name = name;
    p.finish = finish;
    p.mask = mask;
    p.arrived = 0;
    // What a lane that has exited would give is undefined.
    for (unsigned long long &undefined : p.data.value)
      undefined = random() * 0x100000001ull;
  } else if (p.finish != finish) {
    fail("%s meets %s of another lane with the same mask %08x", name, p.name, mask);
  }
  p.arrived |= 1u << lane;
  p.data.value[lane] = value;
  p.data.argument[lane] = argument;
  finishIfAllCame(warp, number, p);
  suspend();
  return threads[current].result;
}

unsigned activeMask() {
  warps[current / 32].active |= 1u << current % 32;
  suspend();
  return static_cast<unsigned>(threads[current].result);
}

/// Lanes are together when nobody else of the warp could still come.
void settleActive(unsigned number) {
  const unsigned active = warps[number].active;
  warps[number].active = 0;
  for (unsigned lanes = active; lanes; lanes &= lanes - 1) {
    const unsigned thread = number * 32 + static_cast<unsigned>(__builtin_ctz(lanes));
    threads[thread].result = active;
    wake(thread);
  }
}

void resetExchanges() {
  for (Warp &warp : warps)
    warp.count = warp.active = 0;
}

void leaveExchanges(unsigned number, unsigned lane) {
  Warp &warp = warps[number];
  for (unsigned i = warp.count; i-- > 0;)
    if (warp.pending[i].mask >> lane & 1)
      finishIfAllCame(warp, number, warp.pending[i]);
}

void describeExchanges() {
  for (unsigned number = 0; number < block.warps; ++number)
    for (unsigned i = 0; i < warps[number].count; ++i) {
      const Pending &p = warps[number].pending[i];
      std::fprintf(stderr, "  %s of warp %u with mask %08x; waiting: lanes %08x, missing %08x\n", p.name, number,
                   p.mask, p.arrived, p.mask & block.alive[number] & ~p.arrived);
    }
}

} // namespace cuda_emulated
