// Ethash-style nonce search. Eight lanes of a warp take their eight nonces through the table together, one nonce after
// the other, so that each 128-byte page is read by eight neighbouring lanes, 16 bytes each.
#include "ethash.h"

#include <algorithm>
#include <cstdint>

#define ACCESSES 64
#define GROUP 8 // lanes that share a page
#define FULL_WARP 0xffffffffu
#define FNV_PRIME 0x01000193u

static __constant__ unsigned long long roundConstants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

static __device__ __forceinline__ unsigned long long rotl(unsigned long long x, int n) {
  return (x << n) | (x >> (64 - n));
}

static __device__ __forceinline__ unsigned long long byteSwap(unsigned long long x) {
  const unsigned int low = static_cast<unsigned int>(x), high = static_cast<unsigned int>(x >> 32);
  return static_cast<unsigned long long>(__byte_perm(low, 0, 0x0123)) << 32 | __byte_perm(high, 0, 0x0123);
}

// Moves the lane in hand, rotated, to place `to`, and takes up the one that was there.
#define RHO_PI(to, distance)                                                                                           \
  do {                                                                                                                 \
    const unsigned long long displaced = a[to];                                                                        \
    a[to] = rotl(inHand, distance);                                                                                    \
    inHand = displaced;                                                                                                \
  } while (0)

/// Keccak-f[1600]; lane (x, y) is a[x + 5 * y].
static __device__ __forceinline__ void keccakF(unsigned long long (&a)[25]) {
#pragma unroll 1
  for (int round = 0; round < 24; ++round) {
    unsigned long long column[5];
#pragma unroll
    for (int x = 0; x < 5; ++x)
      column[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      const unsigned long long theta = column[(x + 4) % 5] ^ rotl(column[(x + 1) % 5], 1);
#pragma unroll
      for (int y = 0; y < 25; y += 5)
        a[x + y] ^= theta;
    }

    unsigned long long inHand = a[1];
    RHO_PI(10, 1);
    RHO_PI(7, 3);
    RHO_PI(11, 6);
    RHO_PI(17, 10);
    RHO_PI(18, 15);
    RHO_PI(3, 21);
    RHO_PI(5, 28);
    RHO_PI(16, 36);
    RHO_PI(8, 45);
    RHO_PI(21, 55);
    RHO_PI(24, 2);
    RHO_PI(4, 14);
    RHO_PI(15, 27);
    RHO_PI(23, 41);
    RHO_PI(19, 56);
    RHO_PI(13, 8);
    RHO_PI(12, 25);
    RHO_PI(2, 43);
    RHO_PI(20, 62);
    RHO_PI(14, 18);
    RHO_PI(22, 39);
    RHO_PI(9, 61);
    RHO_PI(6, 20);
    RHO_PI(1, 44);

#pragma unroll
    for (int y = 0; y < 25; y += 5) {
      unsigned long long row[5];
#pragma unroll
      for (int x = 0; x < 5; ++x)
        row[x] = a[y + x];
#pragma unroll
      for (int x = 0; x < 5; ++x)
        a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
    }
    a[0] ^= roundConstants[round];
  }
}

/// The first `Digest` lanes of the hash of a message of `Length` lanes (Keccak's original padding, one block).
template <int Length, int Digest>
static __device__ __forceinline__ void keccak(const unsigned long long (&message)[Length],
                                              unsigned long long (&digest)[Digest], int digestBytes) {
  const int rate = 25 - digestBytes / 4;
  unsigned long long a[25];
#pragma unroll
  for (int i = 0; i < 25; ++i)
    a[i] = i < Length ? message[i < Length ? i : 0] : i == Length ? 1 : 0;
  a[rate - 1] ^= 0x8000000000000000;
  keccakF(a);
#pragma unroll
  for (int i = 0; i < Digest; ++i)
    digest[i] = a[i];
}

static __device__ __forceinline__ unsigned int fnv(unsigned int x, unsigned int y) { return (x * FNV_PRIME) ^ y; }

static __device__ __forceinline__ uint4 fnv(uint4 x, uint4 y) {
  return make_uint4(fnv(x.x, y.x), fnv(x.y, y.y), fnv(x.z, y.z), fnv(x.w, y.w));
}

/// The value that lane `source` of the calling lane's group has.
template <typename T> static __device__ __forceinline__ T fromLane(T value, int source) {
  return __shfl_sync(FULL_WARP, value, source, GROUP);
}

/// Takes the group's part of one nonce's mix through the table: page after page, chosen by `seedWord` and the mix.
static __device__ __forceinline__ uint4 walk(uint4 mix, unsigned int seedWord, const uint4 *dag, unsigned int dagPages,
                                             int lane) {
#pragma unroll 1
  for (int access = 0; access < ACCESSES; access += 4) {
    const int owner = access / 4 % GROUP; // the lane with mix words access % 32 and the next three
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const unsigned int word = i == 0 ? mix.x : i == 1 ? mix.y : i == 2 ? mix.z : mix.w;
      const unsigned int page = fromLane(fnv(seedWord ^ (access + i), word) % dagPages, owner);
      mix = fnv(mix, dag[static_cast<unsigned long long>(page) * GROUP + lane]);
    }
  }
  return mix;
}

// Every thread walks along, also those past `count`, because the lanes of a group need each other.
__global__ void ethashSearch(samples::ethash::HeaderHash headerHash, const uint4 *dag, unsigned int dagPages,
                             unsigned long long startNonce, unsigned int count, unsigned long long target,
                             unsigned long long *digests, unsigned int *hits) {
  const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % GROUP;

  const unsigned long long start[5] = {headerHash.words[0], headerHash.words[1], headerHash.words[2],
                                       headerHash.words[3], startNonce + thread};
  unsigned long long seed[8];
  keccak(start, seed, 64);

  unsigned long long compressed[4] = {0, 0, 0, 0}; // this lane's mix in the end
#pragma unroll 1
  for (int member = 0; member < GROUP; ++member) {
    // The mix starts as the 64-byte seed twice.
    uint4 mix = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int quarter = 0; quarter < 4; ++quarter) {
      const unsigned long long low = fromLane(seed[2 * quarter], member);
      const unsigned long long high = fromLane(seed[2 * quarter + 1], member);
      if (lane % 4 == quarter)
        mix = make_uint4(static_cast<unsigned int>(low), static_cast<unsigned int>(low >> 32),
                         static_cast<unsigned int>(high), static_cast<unsigned int>(high >> 32));
    }
    const unsigned int seedWord = fromLane(static_cast<unsigned int>(seed[0]), member);
    mix = walk(mix, seedWord, dag, dagPages, lane);

    const unsigned int folded = fnv(fnv(fnv(mix.x, mix.y), mix.z), mix.w);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const unsigned int low = fromLane(folded, 2 * i), high = fromLane(folded, 2 * i + 1);
      if (lane == member)
        compressed[i] = static_cast<unsigned long long>(high) << 32 | low;
    }
  }

  unsigned long long end[12], result[1];
#pragma unroll
  for (int i = 0; i < 12; ++i)
    end[i] = i < 8 ? seed[i & 7] : compressed[i & 3];
  keccak(end, result, 32);

  if (thread < count) {
    const unsigned long long digest = byteSwap(result[0]);
    digests[thread] = digest;
    if (digest <= target) {
      atomicAdd(&hits[0], 1u);
      atomicMax(&hits[1], ~thread);
    }
  }
}

namespace {

constexpr unsigned int BlockSize = 128;

/// Ethash as its specification words it, for any table.
class Reference {
public:
  using Bytes = std::vector<unsigned char>;

  static Bytes keccak(Bytes message, std::size_t digestBytes) {
    const std::size_t rate = 200 - 2 * digestBytes;
    message.push_back(0x01);
    message.resize((message.size() + rate - 1) / rate * rate);
    message.back() |= 0x80;
    std::uint64_t a[5][5] = {}; // [x][y]
    for (std::size_t at = 0; at < message.size(); at += rate) {
      for (std::size_t i = 0; i < rate; ++i)
        a[i / 8 % 5][i / 40] ^= std::uint64_t(message[at + i]) << 8 * (i % 8);
      permute(a);
    }
    Bytes digest;
    for (std::size_t i = 0; i < digestBytes; ++i)
      digest.push_back(static_cast<unsigned char>(a[i / 8 % 5][i / 40] >> 8 * (i % 8)));
    return digest;
  }

  struct Hash {
    Bytes mix, result;
  };

  /// `dagWord(page, i)` is word i of the 32 in a page.
  template <typename DagWord>
  static Hash hash(const Bytes &headerHash, std::uint64_t nonce, std::uint32_t dagPages, DagWord dagWord) {
    Bytes start = headerHash;
    for (int i = 0; i < 8; ++i)
      start.push_back(static_cast<unsigned char>(nonce >> 8 * i));
    Bytes end = keccak(start, 64);
    std::uint32_t seed[16] = {}, mix[32];
    for (int i = 0; i < 64; ++i)
      seed[i / 4] |= std::uint32_t(end[i]) << 8 * (i % 4);
    for (int i = 0; i < 32; ++i)
      mix[i] = seed[i % 16];
    for (std::uint32_t access = 0; access < 64; ++access) {
      const std::uint32_t page = fnv(access ^ seed[0], mix[access % 32]) % dagPages;
      for (int i = 0; i < 32; ++i)
        mix[i] = fnv(mix[i], dagWord(page, i));
    }
    Hash hash;
    for (int i = 0; i < 32; i += 4) {
      const std::uint32_t word = fnv(fnv(fnv(mix[i], mix[i + 1]), mix[i + 2]), mix[i + 3]);
      for (int shift = 0; shift < 32; shift += 8)
        hash.mix.push_back(static_cast<unsigned char>(word >> shift));
    }
    end.insert(end.end(), hash.mix.begin(), hash.mix.end());
    hash.result = keccak(end, 32);
    return hash;
  }

  static std::uint32_t fnv(std::uint32_t x, std::uint32_t y) { return x * 0x01000193u ^ y; }

private:
  static std::uint64_t rotated(std::uint64_t x, int n) { return n ? x << n | x >> (64 - n) : x; }

  static void permute(std::uint64_t (&a)[5][5]) {
    unsigned int feedback = 1; // of the shift register that the round constants come from
    for (int round = 0; round < 24; ++round) {
      std::uint64_t column[5], b[5][5];
      for (int x = 0; x < 5; ++x)
        column[x] = a[x][0] ^ a[x][1] ^ a[x][2] ^ a[x][3] ^ a[x][4];
      for (int x = 0; x < 5; ++x)
        for (int y = 0; y < 5; ++y)
          a[x][y] ^= column[(x + 4) % 5] ^ rotated(column[(x + 1) % 5], 1);
      b[0][0] = a[0][0];
      for (int x = 1, y = 0, t = 0; t < 24; ++t) {
        const int nextY = (2 * x + 3 * y) % 5;
        b[y][nextY] = rotated(a[x][y], (t + 1) * (t + 2) / 2 % 64);
        x = y;
        y = nextY;
      }
      for (int x = 0; x < 5; ++x)
        for (int y = 0; y < 5; ++y)
          a[x][y] = b[x][y] ^ (~b[(x + 1) % 5][y] & b[(x + 2) % 5][y]);
      for (int j = 0; j < 7; ++j) {
        a[0][0] ^= std::uint64_t(feedback & 1) << ((1 << j) - 1);
        feedback = feedback << 1 ^ (feedback >> 7) * 0x171;
      }
    }
  }
};

/// Word i of a page of the synthetic table: its place, well mixed.
std::uint32_t dagWord(std::uint32_t page, std::uint32_t i) {
  std::uint32_t x = page * 32 + i + 0x9e3779b9u;
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

std::vector<uint4> makeDag(std::uint32_t pages) {
  std::vector<uint4> dag;
  dag.reserve(std::size_t(pages) * 8);
  for (std::uint32_t page = 0; page < pages; ++page)
    for (std::uint32_t i = 0; i < 32; i += 4)
      dag.push_back({dagWord(page, i), dagWord(page, i + 1), dagWord(page, i + 2), dagWord(page, i + 3)});
  return dag;
}

} // namespace

namespace samples::ethash {

Problem::Problem(unsigned blocks)
    : headerHash{{0x0123456789abcdef, 0xfedcba9876543210, 0x0f1e2d3c4b5a6978, 0x8796a5b4c3d2e1f0}},
      dagPages(262139), // the largest prime below 2^18, as Ethash's sizes are prime
      dag(makeDag(dagPages)), startNonce(0x00000000fffffe00), count(blocks * BlockSize - 45),
      target(0x00ffffffffffffff), digests(count), hits(2) {
  grid = dim3(blocks);
}

void Problem::launch(cudaStream_t stream) const {
  ethashSearch<<<grid, BlockSize, 0, stream>>>(headerHash, dag.get(), dagPages, startNonce, count, target,
                                               digests.get(), hits.get());
}

std::vector<Output> Problem::outputs() const {
  return {{"digests", digests.get(), digests.bytes(), false}, {"hits", hits.get(), hits.bytes(), true}};
}

bool Problem::check() const {
  const std::vector<unsigned long long> found = digests.toHost();
  const std::vector<unsigned int> foundHits = hits.toHost();
  Reference::Bytes header;
  for (int i = 0; i < 32; ++i)
    header.push_back(static_cast<unsigned char>(headerHash.words[i / 8] >> 8 * (i % 8)));
  unsigned int hitCount = 0, firstHit = 0;
  for (unsigned int thread = 0; thread < count; ++thread) {
    const Reference::Bytes result = Reference::hash(header, startNonce + thread, dagPages, dagWord).result;
    unsigned long long expected = 0;
    for (int i = 0; i < 8; ++i)
      expected = expected << 8 | result[i];
    if (expected <= target) {
      ++hitCount;
      firstHit = std::max(firstHit, ~thread);
    }
    if (found[thread] != expected) {
      std::printf("ethash: digests[%u] is %016llx, expected %016llx\n", thread, found[thread], expected);
      return false;
    }
  }
  if (foundHits[0] != hitCount || foundHits[1] != firstHit) {
    std::printf("ethash: hits are %u, %08x, expected %u, %08x\n", foundHits[0], foundHits[1], hitCount, firstHit);
    return false;
  }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::ethash

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("ethash", samples::ethash::make, argc, argv); }
#endif
