// BLAKE2b-256 (RFC 7693, without a key) nonce search over an 80-byte block header.
#include "blake2b.h"

#include <algorithm>
#include <cstdint>

namespace {
constexpr int BlockSize = 128;
}

template <int Distance> static __device__ __forceinline__ unsigned long long rotr(unsigned long long x) {
  return (x >> Distance) | (x << (64 - Distance));
}

static __device__ __forceinline__ unsigned long long byteSwap(unsigned long long x) {
  const unsigned int low = static_cast<unsigned int>(x), high = static_cast<unsigned int>(x >> 32);
  return static_cast<unsigned long long>(__byte_perm(low, 0, 0x0123)) << 32 | __byte_perm(high, 0, 0x0123);
}

static __device__ __forceinline__ void G(unsigned long long &a, unsigned long long &b, unsigned long long &c,
                                         unsigned long long &d, unsigned long long x, unsigned long long y) {
  a += b + x;
  d = rotr<32>(d ^ a);
  c += d;
  b = rotr<24>(b ^ c);
  a += b + y;
  d = rotr<16>(d ^ a);
  c += d;
  b = rotr<63>(b ^ c);
}

// A round with the message words in the order that it takes them.
#define ROUND(i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15)                                    \
  G(v[0], v[4], v[8], v[12], m[i0], m[i1]);                                                                            \
  G(v[1], v[5], v[9], v[13], m[i2], m[i3]);                                                                            \
  G(v[2], v[6], v[10], v[14], m[i4], m[i5]);                                                                           \
  G(v[3], v[7], v[11], v[15], m[i6], m[i7]);                                                                           \
  G(v[0], v[5], v[10], v[15], m[i8], m[i9]);                                                                           \
  G(v[1], v[6], v[11], v[12], m[i10], m[i11]);                                                                         \
  G(v[2], v[7], v[8], v[13], m[i12], m[i13]);                                                                          \
  G(v[3], v[4], v[9], v[14], m[i14], m[i15])

/// The 32-byte digest of a message of at most one block, `bytes` long.
static __device__ __forceinline__ void hashBlock(const unsigned long long (&m)[16], unsigned int bytes,
                                                 unsigned long long (&digest)[4]) {
  const unsigned long long iv[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
  const unsigned long long parameters = 0x01010000 ^ 32; // fanout 1, depth 1, no key, 32 bytes of digest
  unsigned long long v[16];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    v[i] = v[i + 8] = iv[i];
  v[0] ^= parameters;
  v[12] ^= bytes;
  v[14] = ~v[14];
  ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);
  ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4);
  ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8);
  ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13);
  ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9);
  ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11);
  ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10);
  ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5);
  ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0);
  ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    digest[i] = iv[i] ^ v[i] ^ v[i + 8];
  digest[0] ^= parameters;
}

__global__ void blake2bSearch(samples::blake2b::Header header, unsigned long long startNonce, int noncesPerThread,
                              int count, unsigned long long target, unsigned long long *digests,
                              samples::blake2b::Result *result) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count)
    return;
  unsigned long long m[16];
#pragma unroll
  for (int i = 0; i < 16; ++i)
    m[i] = i < 10 ? header.words[i] : 0;

  unsigned long long folded = 0;
#pragma unroll 1
  for (int i = 0; i < noncesPerThread; ++i) {
    m[4] = startNonce + static_cast<unsigned long long>(i) * count + thread;
    unsigned long long digest[4];
    hashBlock(m, 80, digest);
    folded ^= digest[0] ^ digest[1] ^ digest[2] ^ digest[3];
    const unsigned long long value = byteSwap(digest[0]);
    if (value <= target) {
      atomicMax(&result->best, ~value);
      atomicAdd(&result->hits, 1ull);
    }
  }
  digests[thread] = folded;
}

namespace {

/// BLAKE2b as RFC 7693 words it, without a key.
class Reference {
public:
  static std::vector<unsigned char> hash(std::vector<unsigned char> message, std::size_t digestBytes) {
    const std::size_t bytes = message.size();
    message.resize(std::max<std::size_t>(1, (bytes + 127) / 128) * 128);
    std::vector<std::uint64_t> h(InitialValue, InitialValue + 8);
    h[0] ^= 0x01010000 ^ digestBytes;
    for (std::size_t at = 0; at < message.size(); at += 128)
      compress(h, &message[at], std::min(bytes, at + 128), at + 128 == message.size());
    std::vector<unsigned char> digest;
    for (std::size_t i = 0; i < digestBytes; ++i)
      digest.push_back(static_cast<unsigned char>(h[i / 8] >> 8 * (i % 8)));
    return digest;
  }

private:
  static void compress(std::vector<std::uint64_t> &h, const unsigned char *block, std::uint64_t bytesSoFar, bool last) {
    static const int permutation[10][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
    static const int steps[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14}, {3, 7, 11, 15},
                                    {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13},  {3, 4, 9, 14}};
    static const int distances[2][2] = {{32, 24}, {16, 63}};
    std::uint64_t m[16] = {}, v[16];
    for (int i = 0; i < 128; ++i)
      m[i / 8] |= std::uint64_t(block[i]) << 8 * (i % 8);
    for (int i = 0; i < 16; ++i)
      v[i] = i < 8 ? h[i] : InitialValue[i - 8];
    v[12] ^= bytesSoFar;
    if (last)
      v[14] = ~v[14];
    for (int round = 0; round < 12; ++round)
      for (int i = 0; i < 8; ++i) {
        std::uint64_t &a = v[steps[i][0]], &b = v[steps[i][1]], &c = v[steps[i][2]], &d = v[steps[i][3]];
        for (int half = 0; half < 2; ++half) {
          a += b + m[permutation[round % 10][2 * i + half]];
          d = rotated(d ^ a, distances[half][0]);
          c += d;
          b = rotated(b ^ c, distances[half][1]);
        }
      }
    for (int i = 0; i < 16; ++i)
      h[i % 8] ^= v[i];
  }

  static std::uint64_t rotated(std::uint64_t x, int n) { return x >> n | x << (64 - n); }

  static constexpr std::uint64_t InitialValue[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                                    0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                                    0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
};

samples::blake2b::Header someHeader() {
  samples::blake2b::Header header;
  unsigned long long random = 3;
  for (unsigned long long &word : header.words) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    word = random ^ random >> 31;
  }
  return header;
}

} // namespace

namespace samples::blake2b {

Problem::Problem(unsigned blocks)
    : header(someHeader()), startNonce(0xfffffff0), noncesPerThread(4), count(blocks * BlockSize - 53),
      target(0x00ffffffffffffff), digests(count), result(1) {
  grid = dim3(blocks);
}

void Problem::launch(cudaStream_t stream) const {
  blake2bSearch<<<grid, BlockSize, 0, stream>>>(header, startNonce, noncesPerThread, count, target, digests.get(),
                                                result.get());
}

std::vector<Output> Problem::outputs() const {
  return {{"digests", digests.get(), digests.bytes(), false}, {"result", result.get(), result.bytes(), true}};
}

bool Problem::check() const {
  const std::vector<unsigned long long> found = digests.toHost();
  const Result foundResult = result.toHost()[0];
  std::vector<unsigned char> message(80);
  const auto setWord = [&](int index, unsigned long long value) {
    for (int byte = 0; byte < 8; ++byte)
      message[8 * index + byte] = static_cast<unsigned char>(value >> 8 * byte);
  };
  for (int i = 0; i < 10; ++i)
    setWord(i, header.words[i]);
  Result expectedResult = {0, 0};
  for (int thread = 0; thread < count; ++thread) {
    unsigned long long expected = 0;
    for (int i = 0; i < noncesPerThread; ++i) {
      setWord(4, startNonce + static_cast<unsigned long long>(i) * count + thread);
      const std::vector<unsigned char> digest = Reference::hash(message, 32);
      unsigned long long value = 0;
      for (int byte = 0; byte < 32; ++byte)
        expected ^= static_cast<unsigned long long>(digest[byte]) << 8 * (byte % 8);
      for (int byte = 0; byte < 8; ++byte)
        value = value << 8 | digest[byte];
      if (value <= target) {
        expectedResult.best = std::max(expectedResult.best, ~value);
        ++expectedResult.hits;
      }
    }
    if (found[thread] != expected) {
      std::printf("blake2b: digests[%d] is %016llx, expected %016llx\n", thread, found[thread], expected);
      return false;
    }
  }
  if (foundResult.best != expectedResult.best || foundResult.hits != expectedResult.hits) {
    std::printf("blake2b: the result is %016llx, %llu hits, expected %016llx, %llu hits\n", foundResult.best,
                foundResult.hits, expectedResult.best, expectedResult.hits);
    return false;
  }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::blake2b

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("blake2b", samples::blake2b::make, argc, argv); }
#endif
