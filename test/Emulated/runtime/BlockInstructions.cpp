// Instructions of a block: barriers, mbarriers, asynchronous copies.
#include "Assembly.h"

#include <cuda.h>

#include <algorithm>

namespace cuda_emulated {
namespace {

template <BarrierKind Kind> void blockBarrier(Frame &f, const Instruction &i) {
  barrier(word(f, i, 0), word(f, i, 1), Kind);
}
/// red.OP d, a{, b}, p
template <BarrierKind Kind> void reducingBarrier(Frame &f, const Instruction &i) {
  const bool counted = i.places.size() == 4;
  set(f, i, 0, barrier(word(f, i, 1), counted ? word(f, i, 2) : 0, Kind, word(f, i, counted ? 3 : 2) != 0));
}

// mbarrier objects (PTX ISA, mbarrier): here the word holds, from the low end, the count of the next phase (20
// bits), the count that is missing (20), the phase (8, only its lowest bit is seen) and a mark of what has been
// initialised.

constexpr Value Mark = 0xb7a1ull << 48;

/// Bytes that a phase expects, less those that have come (the tx-count).
std::map<std::pair<unsigned, std::ptrdiff_t>, long long> expectedOfAll;
/// Of an object of the block `owner` of the cluster.
long long &expectedBytes(const void *object, unsigned owner = clusterRank()) {
  return expectedOfAll[{inGroup(owner),
                        static_cast<const char *>(object) - static_cast<const char *>(ofCluster(owner, 0))}];
}

struct Mbarrier {
  Value *object;
  long long &bytes;
  Value expected, pending, phase;

  Mbarrier(const Instruction &i, void *address, unsigned owner = clusterRank())
      : object(static_cast<Value *>(address)), bytes(expectedBytes(address, owner)) {
    if (reinterpret_cast<std::uintptr_t>(address) % 8)
      fail("%s: the object is not aligned", i.mnemonic.c_str());
    if (*object >> 48 != Mark >> 48)
      fail("%s of an object that is no mbarrier (shared address %u)", i.mnemonic.c_str(), toShared(object));
    expected = *object & 0xfffff;
    pending = *object >> 20 & 0xfffff;
    phase = *object >> 40 & 0xff;
  }
  void store() const { *object = Mark | phase << 40 | pending << 20 | expected; }
  void arrive(const Instruction &i, Value count) {
    if (count > pending || count == 0)
      fail("%s of %llu, but the phase waits for %llu", i.mnemonic.c_str(), count, pending);
    pending -= count;
    completeIfAllCame();
  }
  void completeIfAllCame() {
    if (pending == 0 && bytes == 0) {
      phase = (phase + 1) & 0xff;
      pending = expected;
    }
    store();
    progress();
  }
};

void mbarrierInit(Frame &f, const Instruction &i) {
  const Value count = get(f, i, 1);
  if (count == 0 || count > 0xfffff)
    fail("mbarrier.init with the count %llu", count);
  auto *object = static_cast<Value *>(address(f, i, 0));
  *object = Mark | count << 20 | count;
  expectedBytes(object) = 0;
}
void mbarrierInvalidate(Frame &f, const Instruction &i) { *Mbarrier(i, address(f, i, 0)).object = 0; }
/// arrive{_drop} state, [address]{, count}; the state may be `_` and, by the older form, missing.
template <bool Drop> void mbarrierArrive(Frame &f, const Instruction &i) {
  Mbarrier b(i, address(f, i, 1));
  const Value state = *b.object, count = i.places.size() > 2 ? get(f, i, 2) : 1;
  if (Drop) {
    if (count > b.expected)
      fail("%s of %llu, but only %llu take part", i.mnemonic.c_str(), count, b.expected);
    b.expected -= count;
  }
  b.arrive(i, count);
  set(f, i, 0, state);
}
/// {test,try}_wait p, [address], state
template <bool Parity> void mbarrierWait(Frame &f, const Instruction &i) {
  const Mbarrier b(i, address(f, i, 1));
  const Value waited = Parity ? get(f, i, 2) & 1 : get(f, i, 2) >> 40 & 1;
  const bool over = (b.phase & 1) != waited;
  if (over)
    threads[current].polled = nullptr;
  else
    poll(b.object, i.mnemonic.c_str());
  set(f, i, 0, over);
}
/// expect_tx [address], bytes; arrive.expect_tx state, [address], bytes
template <bool Arrives> void mbarrierExpect(Frame &f, const Instruction &i) {
  Mbarrier b(i, address(f, i, Arrives));
  const Value state = *b.object;
  b.bytes += word(f, i, 1 + Arrives);
  if (Arrives) {
    b.arrive(i, 1);
    set(f, i, 0, state);
  }
}
void mbarrierPending(Frame &f, const Instruction &i) { set(f, i, 0, get(f, i, 1) >> 20 & 0xfffff); }

// Asynchronous copies are done at once or when the thread waits for them, as the seed says: a missing wait shows.

struct Copy {
  unsigned char *to;
  const unsigned char *from;
  unsigned bytes, given; ///< The rest is zero.
  unsigned group;
};
struct Copies {
  std::vector<Copy> waiting;
  unsigned groups = 0; ///< Committed.
};
CUDA_EMULATED_OF_BLOCK Copies copies[MaxThreads];

/// Those of the first `groups` groups.
void finishCopies(unsigned groups) {
  std::vector<Copy> &waiting = copies[current].waiting;
  std::size_t kept = 0;
  for (const Copy &copy : waiting)
    if (copy.group < groups) {
      std::memcpy(copy.to, copy.from, copy.given);
      std::memset(copy.to + copy.given, 0, copy.bytes - copy.given);
    } else {
      waiting[kept++] = copy;
    }
  waiting.resize(kept);
}

/// cp.async [shared], [global], bytes{, bytes of the source}
void copyAsync(Frame &f, const Instruction &i) {
  const unsigned bytes = word(f, i, 2);
  copies[current].waiting.push_back(
      {static_cast<unsigned char *>(fromShared(word(f, i, 0) + static_cast<unsigned>(i.places[0].offset))),
       reinterpret_cast<const unsigned char *>(get(f, i, 1) + static_cast<Value>(i.places[1].offset)), bytes,
       std::min(word(f, i, 3, bytes), bytes), copies[current].groups});
  if (random() & 1)
    finishCopies(~0u);
}
void commitCopies(Frame &, const Instruction &) { ++copies[current].groups; }
/// wait_group n: for all groups but the last n.
void awaitGroups(Frame &f, const Instruction &i) {
  const unsigned groups = copies[current].groups;
  finishCopies(groups - std::min(groups, word(f, i, 0)));
}
void awaitCopies(Frame &, const Instruction &) { finishCopies(~0u); }
/// cp.async.mbarrier.arrive [address], when the thread's copies are done; that without .noinc adds a count before.
template <bool AddsCount> void copiesArrive(Frame &f, const Instruction &i) {
  finishCopies(~0u);
  Mbarrier b(i, address(f, i, 0));
  if (!AddsCount)
    b.arrive(i, 1);
}
/// cp.async.bulk [shared], [global], bytes, [mbarrier]: done at once.
void copyBulk(Frame &f, const Instruction &i) {
  void *to = address(f, i, 0);
  const void *from = reinterpret_cast<const void *>(get(f, i, 1) + static_cast<Value>(i.places[1].offset));
  const unsigned bytes = word(f, i, 2);
  if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes) % 16)
    fail("%s of %u bytes from %p to %p: not all are multiples of 16", i.mnemonic.c_str(), bytes, from, to);
  std::memcpy(to, from, bytes);
  Mbarrier b(i, address(f, i, 3));
  b.bytes -= bytes;
  b.completeIfAllCame();
}

/// cp.async.bulk.tensor.3d [shared], [map, {column, row, matrix}], [mbarrier]: done at once. Outside of it are zeros.
void copyTensor(Frame &f, const Instruction &i) {
  auto *const to = static_cast<unsigned char *>(address(f, i, 0));
  const auto &map = *reinterpret_cast<const CUtensorMap *>(get(f, i, 1));
  const auto at = [&](std::size_t which) {
    return static_cast<unsigned>(get(f, i, i.places.at(2).elements.at(which)));
  };
  if (reinterpret_cast<std::uintptr_t>(to) % 1024)
    fail("%s to %p, which is no multiple of 1024", i.mnemonic.c_str(), static_cast<void *>(to));
  for (unsigned r = 0; r < map.boxRows; ++r)
    for (unsigned c = 0; c < 64; ++c) {
      const std::uint64_t y = at(1) + r, x = at(0) + c;
      unsigned char *const element = to + r * 128 + (c / 8 ^ r % 8) * 16 + c % 8 * 2;
      if (y < map.rows && x < map.columns && at(2) < map.matrices)
        std::memcpy(element, map.data + at(2) * map.apart + y * map.pitch + x * 2, 2);
      else
        std::memset(element, 0, 2);
    }
  Mbarrier b(i, address(f, i, 3));
  b.bytes -= map.boxRows * 128;
  b.completeIfAllCame();
}

/// cp.async.bulk.tensor.4d.im2col [shared], [map, {channel, column, row, image}], [mbarrier], {columns, rows}: done at
/// once. From a pixel on, pixel by pixel as the windows' first ones are; each of them at so many columns and rows from
/// there. Outside of the images are zeros.
void copyWindows(Frame &f, const Instruction &i) {
  auto *const to = static_cast<unsigned char *>(address(f, i, 0));
  const auto &map = *reinterpret_cast<const CUtensorMap *>(get(f, i, 1));
  const auto at = [&](std::size_t place, std::size_t which) {
    return static_cast<std::int64_t>(static_cast<int>(get(f, i, i.places.at(place).elements.at(which))));
  };
  const std::int64_t width = static_cast<std::int64_t>(map.width), height = static_cast<std::int64_t>(map.rows);
  if (reinterpret_cast<std::uintptr_t>(to) % 1024 || width == 0)
    fail("%s to %p, which is no multiple of 1024, or the map is one of matrices", i.mnemonic.c_str(),
         static_cast<void *>(to));
  const std::int64_t first = (at(2, 3) * height + at(2, 2) - map.corner[1]) * width + at(2, 1) - map.corner[0];
  for (unsigned r = 0; r < map.boxRows; ++r)
    for (unsigned c = 0; c < 64; ++c) {
      const std::int64_t pixel = first + r, x = pixel % width + map.corner[0] + (at(4, 0) & 0xffff),
                         y = pixel / width % height + map.corner[1] + (at(4, 1) & 0xffff);
      const std::uint64_t image = static_cast<std::uint64_t>(pixel / (width * height)), channel = at(2, 0) + c;
      unsigned char *const element = to + r * 128 + (c / 8 ^ r % 8) * 16 + c % 8 * 2;
      if (x >= 0 && x < width && y >= 0 && y < height && image < map.matrices && channel < map.columns)
        std::memcpy(element,
                    map.data + image * map.apart + static_cast<std::uint64_t>(y * width + x) * map.pitch + channel * 2,
                    2);
      else
        std::memset(element, 0, 2);
    }
  Mbarrier b(i, address(f, i, 3));
  b.bytes -= map.boxRows * 128;
  b.completeIfAllCame();
}

/// st.async [shared], {values}, [mbarrier], both in one block of the cluster: done at once.
void storeAsync(Frame &f, const Instruction &i) {
  const unsigned bytes = i.bits() / 8, owner = word(f, i, 2) >> ClusterBits;
  const auto &values = i.places.at(1).elements;
  auto *to = static_cast<unsigned char *>(address(f, i, 0));
  if (owner == 0 || word(f, i, 0) >> ClusterBits != owner)
    fail("%s to an address that is of no block of the cluster, or not of the mbarrier's", i.mnemonic.c_str());
  if (reinterpret_cast<std::uintptr_t>(to) % (bytes * values.size()))
    fail("%s to %p, which is not aligned", i.mnemonic.c_str(), static_cast<void *>(to));
  for (const Place &from : values) {
    const Value value = get(f, i, from);
    std::memcpy(to, &value, bytes);
    to += bytes;
  }
  Mbarrier b(i, address(f, i, 2), owner - 1);
  b.bytes -= static_cast<long long>(bytes * values.size());
  b.completeIfAllCame();
}

/// mapa d, a, rank: the same address in another block of the cluster
void mapAddress(Frame &f, const Instruction &i) {
  const unsigned rank = word(f, i, 2);
  if (rank >= clusterSize())
    fail("mapa to block %u of a cluster of %u", rank, clusterSize());
  set(f, i, 0,
      i.shared ? word(f, i, 1) | (rank + 1) << ClusterBits
               : reinterpret_cast<Value>(ofCluster(rank, toShared(reinterpret_cast<void *>(get(f, i, 1))))));
}

} // namespace

void leaveCopies() {
  finishCopies(~0u);
  copies[current].groups = 0;
}

void addBlockInstructions(Instructions &all) {
  all.insert({
      {"barrier.sync", blockBarrier<BarrierKind::Sync>},
      {"barrier.arrive", blockBarrier<BarrierKind::Arrive>},
      {"barrier.red.popc", reducingBarrier<BarrierKind::Count>},
      {"barrier.red.and", reducingBarrier<BarrierKind::And>},
      {"barrier.red.or", reducingBarrier<BarrierKind::Or>},
      {"barrier.cluster.arrive", [](Frame &, const Instruction &) { arriveAtCluster(); }},
      {"barrier.cluster.wait", [](Frame &, const Instruction &) { awaitCluster(); }},
      {"mapa", mapAddress},
      {"mbarrier.init", mbarrierInit},
      {"mbarrier.inval", mbarrierInvalidate},
      {"mbarrier.arrive", mbarrierArrive<false>},
      {"mbarrier.arrive.noComplete", mbarrierArrive<false>},
      {"mbarrier.arrive_drop", mbarrierArrive<true>},
      {"mbarrier.arrive_drop.noComplete", mbarrierArrive<true>},
      {"mbarrier.arrive.expect_tx", mbarrierExpect<true>},
      {"mbarrier.expect_tx", mbarrierExpect<false>},
      {"mbarrier.test_wait", mbarrierWait<false>},
      {"mbarrier.test_wait.parity", mbarrierWait<true>},
      {"mbarrier.try_wait", mbarrierWait<false>},
      {"mbarrier.try_wait.parity", mbarrierWait<true>},
      {"mbarrier.pending_count", mbarrierPending},
      {"cp.async.ca", copyAsync},
      {"cp.async.cg", copyAsync},
      {"cp.async.commit_group", commitCopies},
      {"cp.async.wait_group", awaitGroups},
      {"cp.async.wait_all", awaitCopies},
      {"cp.async.mbarrier.arrive", copiesArrive<true>},
      {"cp.async.mbarrier.arrive.noinc", copiesArrive<false>},
      {"cp.async.bulk.mbarrier::complete_tx::bytes", copyBulk},
      {"cp.async.bulk.tensor.3d.mbarrier::complete_tx::bytes", copyTensor},
      {"cp.async.bulk.tensor.4d.im2col.mbarrier::complete_tx::bytes", copyWindows},
      {"st.async.mbarrier::complete_tx::bytes", storeAsync},
      {"cp.async.bulk.wait_group", [](Frame &, const Instruction &) {}}, // what there is, is done at once
  });
}

} // namespace cuda_emulated
