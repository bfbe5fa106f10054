// Hardware barriers (PTX ISA, barrier.cta): a warp arrives when all its threads that have not exited wait at the
// barrier, and counts 32 then. A count waits for that many; without one, the barrier waits for the warps that have
// not exited.
#include "Scheduler.h"

namespace cuda_emulated {
namespace {

struct Barrier {
  bool inUse = false;
  unsigned count = 0; ///< 0: as many as there are.
  BarrierKind kind = BarrierKind::Sync;
  unsigned arrived = 0;
  unsigned warps = 0;               ///< Those that have arrived and wait.
  unsigned lanes[MaxWarps] = {};    ///< Those that wait, also in warps that have not arrived.
  unsigned arriving[MaxWarps] = {}; ///< Of them, those that wait for their warp only.
  unsigned predicate[MaxWarps] = {};
};

CUDA_EMULATED_OF_BLOCK Barrier barriers[16];
CUDA_EMULATED_OF_BLOCK bool used = false;

const char *const Names[] = {"sync", "red.popc", "red.and", "red.or", "arrive"};

unsigned liveWarps() {
  unsigned warps = 0;
  for (unsigned warp = 0; warp < block.warps; ++warp)
    warps |= block.alive[warp] ? 1u << warp : 0;
  return warps;
}

unsigned long long reduced(const Barrier &b) {
  unsigned total = 0, yes = 0;
  for (unsigned warp = 0; warp < block.warps; ++warp)
    if (b.warps >> warp & 1) {
      total += __builtin_popcount(b.lanes[warp]);
      yes += __builtin_popcount(b.lanes[warp] & b.predicate[warp]);
    }
  return b.kind == BarrierKind::Count ? yes : b.kind == BarrierKind::And ? yes == total : yes != 0;
}

void wakeLanes(unsigned warp, unsigned lanes, unsigned long long result) {
  for (; lanes; lanes &= lanes - 1) {
    const unsigned thread = warp * 32 + static_cast<unsigned>(__builtin_ctz(lanes));
    threads[thread].result = result;
    wake(thread);
  }
}

void completeIfAllCame(Barrier &b) {
  if (b.count ? b.arrived < b.count : !b.warps || b.warps != liveWarps())
    return;
  const unsigned long long result = reduced(b);
  const unsigned warps = b.warps;
  b.warps = b.arrived = 0;
  b.inUse = false;
  for (unsigned warp = 0; warp < block.warps; ++warp) {
    if (warps >> warp & 1) {
      const unsigned lanes = b.lanes[warp];
      b.lanes[warp] = 0;
      wakeLanes(warp, lanes, result);
    }
    b.inUse |= b.lanes[warp] != 0; // part of a warp, already there for the next time
  }
}

void arriveIfComplete(Barrier &b, unsigned warp) {
  if (!b.lanes[warp] || b.lanes[warp] != block.alive[warp] || b.warps >> warp & 1)
    return;
  b.arrived += 32;
  if (const unsigned lanes = b.arriving[warp]) {
    b.arriving[warp] = 0;
    b.lanes[warp] &= ~lanes;
    wakeLanes(warp, lanes, 0);
  }
  if (b.lanes[warp])
    b.warps |= 1u << warp;
  completeIfAllCame(b);
}

} // namespace

unsigned barrier(unsigned id, unsigned count, BarrierKind kind, bool predicate) {
  if (id > 15)
    fail("there is no barrier %u", id);
  if (count % 32 != 0 || count > MaxThreads)
    fail("barrier %u: count %u is not a multiple of 32 up to %u", id, count, MaxThreads);
  if (kind == BarrierKind::Arrive && count == 0)
    fail("barrier %u: arrive needs a count", id);
  const unsigned warp = current / 32, lane = 1u << current % 32;
  Barrier &b = barriers[id];
  used = true;
  if (b.inUse && b.count != count)
    fail("barrier %u is in use with %s %u and used with %s %u (0: no count)", id, "count", b.count, "count", count);
  if (b.inUse && b.kind != kind && b.kind != BarrierKind::Arrive && kind != BarrierKind::Arrive)
    fail("barrier %u is in use as %s and used as %s", id, Names[static_cast<int>(b.kind)],
         Names[static_cast<int>(kind)]);
  if (!b.inUse || b.kind == BarrierKind::Arrive)
    b.kind = kind;
  b.inUse = true;
  b.count = count;
  b.lanes[warp] |= lane;
  b.predicate[warp] = predicate ? b.predicate[warp] | lane : b.predicate[warp] & ~lane;
  if (kind == BarrierKind::Arrive)
    b.arriving[warp] |= lane;
  arriveIfComplete(b, warp);
  suspend();
  return static_cast<unsigned>(threads[current].result);
}

void resetBarriers() {
  if (used)
    for (Barrier &b : barriers)
      b = Barrier();
  used = false;
}

void leaveBarriers(unsigned warp) {
  if (used)
    for (Barrier &b : barriers) {
      if (block.alive[warp])
        arriveIfComplete(b, warp);
      else if (b.inUse && b.count == 0)
        completeIfAllCame(b);
    }
}

void describeBarriers() {
  for (unsigned id = 0; id < 16; ++id) {
    const Barrier &b = barriers[id];
    if (!b.inUse)
      continue;
    const unsigned expected = b.count ? b.count : 32 * static_cast<unsigned>(__builtin_popcount(liveWarps()));
    std::fprintf(stderr, "  barrier %u (%s), expected %u%s, arrived %u; waiting: threads ", id,
                 Names[static_cast<int>(b.kind)], expected, b.count ? "" : " (without a count)", b.arrived);
    printThreads(b.lanes);
    for (unsigned warp = 0; warp < block.warps; ++warp)
      if (b.lanes[warp] && !(b.warps >> warp & 1))
        std::fprintf(stderr, "; of warp %u only part", warp);
    std::fprintf(stderr, "\n");
  }
}

} // namespace cuda_emulated
