// Instructions of a warp: shuffles, votes, products of matrices.
#include "Assembly.h"

#include <emulated/small_float.h>

namespace cuda_emulated {
namespace {

/// shfl.sync d{|p}, a, b, c, mask (PTX ISA, shfl.sync): p says whether the source is in range.
template <typename Source> void shuffleLanes(Frame &f, const Instruction &i) {
  const unsigned lane = linearThread() % 32, b = word(f, i, 2) & 31, c = word(f, i, 3);
  const unsigned clamp = c & 31, segment = c >> 8 & 31;
  const unsigned first = lane & segment, last = first | (clamp & ~segment);
  int source = static_cast<int>(Source::of(lane, b, first, segment));
  const bool inRange = Source::upwards ? source >= static_cast<int>(last) : source <= static_cast<int>(last);
  if (!inRange)
    source = static_cast<int>(lane);
  const unsigned value = shuffled(i.mnemonic.c_str(), word(f, i, 4), word(f, i, 1), static_cast<unsigned>(source));
  const std::vector<Place> &parts = i.places[0].elements;
  set(f, i, parts.empty() ? i.places[0] : parts.at(0), value);
  if (!parts.empty())
    set(f, i, parts.at(1), inRange);
}
struct Up {
  static constexpr bool upwards = true;
  static unsigned of(unsigned lane, unsigned b, unsigned, unsigned) { return lane - b; }
};
struct Down {
  static constexpr bool upwards = false;
  static unsigned of(unsigned lane, unsigned b, unsigned, unsigned) { return lane + b; }
};
struct Butterfly {
  static constexpr bool upwards = false;
  static unsigned of(unsigned lane, unsigned b, unsigned, unsigned) { return lane ^ b; }
};
struct Index {
  static constexpr bool upwards = false;
  static unsigned of(unsigned, unsigned b, unsigned first, unsigned segment) { return first | (b & ~segment); }
};

/// vote.sync d, p, mask
void vote(Frame &f, const Instruction &i) {
  set(f, i, 0, exchange(i.mnemonic.c_str(), word(f, i, 2), ballot, get(f, i, 1) != 0));
}
void activeLanes(Frame &f, const Instruction &i) { set(f, i, 0, activeMask()); }
void syncWarp(Frame &f, const Instruction &i) { exchange("bar.warp.sync", word(f, i, 0), nothing, 0); }
/// elect.sync d|p, mask: the lowest lane of the mask.
void elect(Frame &f, const Instruction &i) {
  const unsigned leader =
      static_cast<unsigned>(__builtin_ctzll(exchange(i.mnemonic.c_str(), word(f, i, 1), ballot, 1)));
  set(f, i, i.places[0].elements.at(0), leader);
  set(f, i, i.places[0].elements.at(1), leader == linearThread() % 32);
}

/// What a lane has of a product of matrices, two elements to a word of a and b (PTX ISA, mma.m16n8k8 and mma.m16n8k16).
struct Tile {
  unsigned a[4], b[2];
  float c[4];
};
template <float (*From)(unsigned short)> float elementOf(unsigned word, unsigned half) {
  return From(static_cast<unsigned short>(word >> 16 * half));
}
template <unsigned K, float (*From)(unsigned short)> void multiply(Exchange &e) {
  requireWholeWarp(e, "mma.sync");
  float a[16][K], b[K][8], d[32][4];
  const auto tile = [&](unsigned lane) { return reinterpret_cast<Tile *>(e.value[lane]); };
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned group = lane / 4, column = lane % 4 * 2 + half;
      for (unsigned word = 0; word < K / 4; ++word)
        a[group + 8 * (word & 1)][column + 8 * (word >> 1)] = elementOf<From>(tile(lane)->a[word], half);
      for (unsigned word = 0; word < K / 8; ++word)
        b[column + 8 * word][group] = elementOf<From>(tile(lane)->b[word], half);
    }
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned at = 0; at < 4; ++at) {
      d[lane][at] = tile(lane)->c[at];
      for (unsigned k = 0; k < K; ++k)
        d[lane][at] += a[lane / 4 + 8 * (at / 2)][k] * b[k][lane % 4 * 2 + at % 2];
    }
  for (unsigned lane = 0; lane < 32; ++lane)
    std::memcpy(tile(lane)->c, d[lane], sizeof(d[lane]));
}
/// mma.sync.aligned.m16n8kK.row.col.f32.T.T.f32 d, a, b, c
template <unsigned K> void multiplyMatrices(Frame &f, const Instruction &i) {
  const bool half = i.mnemonic.find("bf16") == std::string::npos;
  if (i.type != "f32" || i.target != "f32")
    i.unknownType();
  Tile tile;
  const auto parts = [&](std::size_t at) -> const std::vector<Place> & { return i.places.at(at).elements; };
  const auto part = [&](std::size_t at, unsigned number) {
    return parts(at).empty() ? get(f, i, at) : get(f, i, parts(at).at(number));
  };
  for (unsigned at = 0; at < K / 4; ++at)
    tile.a[at] = static_cast<unsigned>(part(1, at));
  for (unsigned at = 0; at < K / 8; ++at)
    tile.b[at] = static_cast<unsigned>(part(2, at));
  for (unsigned at = 0; at < 4; ++at)
    tile.c[at] = __builtin_bit_cast(float, static_cast<unsigned>(part(3, at)));
  exchange(i.mnemonic.c_str(), ~0u, half ? multiply<K, fromHalfBits> : multiply<K, fromBfloat16Bits>,
           reinterpret_cast<Value>(&tile));
  for (unsigned at = 0; at < 4; ++at)
    set(f, i, parts(0).at(at), toBits(tile.c[at]));
}

/// What a lane has of a warpgroup's product: of the 16 rows of its warp (PTX ISA, wgmma). All is done at once.
struct GroupTile {
  unsigned a[4];
  Value descriptor, b; ///< The first, where that factor is in shared memory; or 0.
  bool inRows, adds;
  unsigned row; ///< The warp's first.
  std::vector<float> c;
};
/// The element of a matrix that a descriptor is of, in rows of 128 bytes whose pieces are in an order of their own.
unsigned short elementAt(Value descriptor, unsigned row, unsigned column) {
  const auto field = [&](unsigned at) { return static_cast<unsigned>(descriptor >> at & 0x3fff) * 16; };
  const unsigned at = field(0) + column / 64 * field(16) + row / 8 * field(32) + row % 8 * 128 + column % 64 * 2;
  unsigned short element;
  std::memcpy(&element, fromShared(at ^ (at >> 3 & 0x70)), 2);
  return element;
}
template <float (*From)(unsigned short)> void multiplyGroup(Exchange &e) {
  requireWholeWarp(e, "wgmma.mma_async");
  const auto tile = [&](unsigned lane) { return reinterpret_cast<GroupTile *>(e.value[lane]); };
  float a[16][16];
  for (unsigned at = 0; tile(0)->descriptor && at < 256; ++at)
    a[at / 16][at % 16] = From(elementAt(tile(0)->descriptor, tile(0)->row + at / 16, at % 16));
  for (unsigned lane = 0; !tile(0)->descriptor && lane < 32; ++lane)
    for (unsigned i = 0; i < 8; ++i)
      a[lane / 4 + 8 * (i / 2 % 2)][lane % 4 * 2 + i % 2 + 8 * (i / 4)] = elementOf<From>(tile(lane)->a[i / 2], i % 2);
  const unsigned columns = static_cast<unsigned>(tile(0)->c.size()) * 2;
  for (unsigned n = 0; n < columns; ++n) {
    float b[16];
    for (unsigned k = 0; k < 16; ++k)
      b[k] = From(tile(0)->inRows ? elementAt(tile(0)->b, k, n) : elementAt(tile(0)->b, n, k));
    for (unsigned row = 0; row < 16; ++row) {
      GroupTile &to = *tile(row % 8 * 4 + n % 8 / 2);
      if (to.b != tile(0)->b || to.descriptor != tile(0)->descriptor)
        fail("wgmma.mma_async: lanes have different descriptors");
      float &sum = to.c[n / 8 * 4 + row / 8 * 2 + n % 2];
      sum = to.adds ? sum : 0;
      for (unsigned k = 0; k < 16; ++k)
        sum += a[row][k] * b[k];
    }
  }
}
/// wgmma.mma_async.sync.aligned.m64nNk16.f32.T.T d, a, b, adds, 1, 1{, 0}, b is in rows: a in registers, or (with that 0) a
/// descriptor, too.
void multiplyByGroup(Frame &f, const Instruction &i) {
  const auto &a = i.places.at(1).elements, &d = i.places.at(0).elements;
  const bool shared = a.empty();
  if (a.size() != (shared ? 0 : 4) || word(f, i, 4) != 1 || word(f, i, 5) != 1 || get(f, i, 2) >> 62 != 1 ||
      (shared && (word(f, i, 6) != 0 || get(f, i, 1) >> 62 != 1)))
    fail("%s: an operand that the emulator does not know", i.mnemonic.c_str());
  GroupTile tile = {{},
                    shared ? get(f, i, 1) : 0,
                    get(f, i, 2),
                    word(f, i, shared ? 7 : 6) != 0,
                    get(f, i, 3) != 0,
                    current / 32 % 4 * 16,
                    {}};
  for (unsigned at = 0; at < a.size(); ++at)
    tile.a[at] = static_cast<unsigned>(get(f, i, a.at(at)));
  for (const Place &part : d)
    tile.c.push_back(__builtin_bit_cast(float, static_cast<unsigned>(get(f, i, part))));
  const bool half = i.mnemonic.find("bf16") == std::string::npos;
  exchange(i.mnemonic.c_str(), ~0u, half ? multiplyGroup<fromHalfBits> : multiplyGroup<fromBfloat16Bits>,
           reinterpret_cast<Value>(&tile));
  for (unsigned at = 0; at < d.size(); ++at)
    set(f, i, d.at(at), toBits(tile.c[at]));
}

/// A lane's row of 8 elements of two bytes, and what it gets of four matrices (PTX ISA, ldmatrix).
struct Rows {
  const unsigned short *row;
  unsigned parts[4];
};
template <bool Transposed> void loadRows(Exchange &e) {
  requireWholeWarp(e, "ldmatrix.sync");
  const auto rows = [&](unsigned lane) { return reinterpret_cast<Rows *>(e.value[lane]); };
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
      const auto element = [&](unsigned half) -> unsigned {
        const unsigned outer = lane / 4, inner = lane % 4 * 2 + half;
        return rows(matrix * 8 + (Transposed ? inner : outer))->row[Transposed ? outer : inner];
      };
      rows(lane)->parts[matrix] = element(0) | element(1) << 16;
    }
}
/// ldmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 d, [row]
template <bool Transposed> void loadMatrices(Frame &f, const Instruction &i) {
  Rows own = {
      static_cast<const unsigned short *>(fromShared(word(f, i, 1) + static_cast<unsigned>(i.places[1].offset))), {}};
  exchange(i.mnemonic.c_str(), ~0u, loadRows<Transposed>, reinterpret_cast<Value>(&own));
  for (unsigned at = 0; at < 4; ++at)
    set(f, i, i.places[0].elements.at(at), own.parts[at]);
}

} // namespace

void addWarpInstructions(Instructions &all) {
  all.insert({
      {"bar.warp.sync", syncWarp},
      {"activemask", activeLanes},
      {"elect.sync", elect},
      {"vote.sync.ballot", vote},
      {"vote.ballot.sync", vote},
      {"shfl.sync.up", shuffleLanes<Up>},
      {"shfl.sync.down", shuffleLanes<Down>},
      {"shfl.sync.bfly", shuffleLanes<Butterfly>},
      {"shfl.sync.idx", shuffleLanes<Index>},
      {"ldmatrix.sync.m8n8.x4", loadMatrices<false>},
      {"ldmatrix.sync.m8n8.x4.trans", loadMatrices<true>},
      {"mma.sync.m16n8k8.row.col", multiplyMatrices<8>},
      {"mma.sync.m16n8k16.row.col", multiplyMatrices<16>},
      {"mma.sync.m16n8k8.row.col.bf16.bf16", multiplyMatrices<8>},
      {"mma.sync.m16n8k16.row.col.bf16.bf16", multiplyMatrices<16>},
  });
  for (unsigned columns = 8; columns <= 256; columns += 8)
    for (const char *type : {"", ".bf16.bf16"})
      all["wgmma.mma_async.sync.m64n" + std::to_string(columns) + "k16" + type] = multiplyByGroup;
}

} // namespace cuda_emulated
