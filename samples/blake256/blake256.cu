// BLAKE-256 (the 14-round SHA-3 final round submission) nonce search over an 80-byte block header.
#include "blake256.h"

#include <algorithm>
#include <cstdint>

#define PERMUTATIONS                                                                                                   \
  {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},     \
   {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},     \
   {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},     \
   {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},     \
   {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}}
#define DIGITS_OF_PI                                                                                                   \
  {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89,                     \
   0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c, 0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917}
#define INITIAL_VALUE {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}

// Constant for the compiler too, so that unrolled rounds name message words and constants directly.
static const __constant__ unsigned char sigma[10][16] = PERMUTATIONS;
static const __constant__ unsigned int K[16] = DIGITS_OF_PI;

// The header as big-endian words, the last the nonce's; written by the host. Here is that of somebody's block, for
// those who run the kernel without it.
__constant__ unsigned int blake256Header[20] = {0x3ca1c63a, 0x75c00905, 0x305f6cad, 0xbdec598c, 0xb78c9aa6,
                                                0x1e0287fd, 0x34af27a9, 0x78ebae3c, 0x867502a9, 0xb25bf619,
                                                0xb4458692, 0x1b70fa5f, 0x914a2f93, 0xc9ea0977, 0x76a1603c,
                                                0x726a5807, 0x03983139, 0x5792e8f0, 0xfb2ee77d, 0x6b111205};

#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

#define G(a, b, c, d, i)                                                                                               \
  do {                                                                                                                 \
    const int j = sigma[round % 10][2 * (i)], k = sigma[round % 10][2 * (i) + 1];                                      \
    a += b + (m[j] ^ K[k]);                                                                                            \
    d = ROTR(d ^ a, 16);                                                                                               \
    c += d;                                                                                                            \
    b = ROTR(b ^ c, 12);                                                                                               \
    a += b + (m[k] ^ K[j]);                                                                                            \
    d = ROTR(d ^ a, 8);                                                                                                \
    c += d;                                                                                                            \
    b = ROTR(b ^ c, 7);                                                                                                \
  } while (0)

/// Adds the block `m`, up to which the message has `bits` bits, to the chain value `h` (no salt).
static __device__ __forceinline__ void compress(unsigned int (&h)[8], const unsigned int (&m)[16], unsigned int bits) {
  unsigned int v[16];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i] = h[i];
    v[8 + i] = K[i];
  }
  v[12] ^= bits;
  v[13] ^= bits;
#pragma unroll
  for (int round = 0; round < 14; ++round) {
    G(v[0], v[4], v[8], v[12], 0);
    G(v[1], v[5], v[9], v[13], 1);
    G(v[2], v[6], v[10], v[14], 2);
    G(v[3], v[7], v[11], v[15], 3);
    G(v[0], v[5], v[10], v[15], 4);
    G(v[1], v[6], v[11], v[12], 5);
    G(v[2], v[7], v[8], v[13], 6);
    G(v[3], v[4], v[9], v[14], 7);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
    h[i] ^= v[i] ^ v[8 + i];
}

__global__ void blake256Search(unsigned int startNonce, unsigned int noncesPerThread, unsigned int count,
                               unsigned int target, unsigned int *digests, unsigned int *hits) {
  const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count)
    return;

  // The first 64 bytes do not depend on the nonce.
  unsigned int midstate[8] = INITIAL_VALUE, m[16];
#pragma unroll
  for (int i = 0; i < 16; ++i)
    m[i] = blake256Header[i];
  compress(midstate, m, 512);

  // The other 16 with the padding: a one bit, zeros, another one bit and the length.
#pragma unroll
  for (int i = 0; i < 16; ++i)
    m[i] = i < 3 ? blake256Header[16 + i] : 0;
  m[4] = 0x80000000;
  m[13] = 1;
  m[15] = 640;

  unsigned int folded = 0;
#pragma unroll 1
  for (unsigned int i = 0; i < noncesPerThread; ++i) {
    const unsigned int nonce = startNonce + i * count + thread;
    m[3] = nonce;
    unsigned int h[8];
#pragma unroll
    for (int word = 0; word < 8; ++word)
      h[word] = midstate[word];
    compress(h, m, 640);
#pragma unroll
    for (int word = 0; word < 8; ++word)
      folded ^= h[word];
    if (h[0] <= target) {
      atomicAdd(&hits[0], 1u);
      atomicMax(&hits[1], ~nonce);
    }
  }
  digests[thread] = folded;
}

namespace {

/// BLAKE-256 as the submission words it, for messages of whole bytes.
class Reference {
public:
  static std::vector<std::uint32_t> hash(std::vector<unsigned char> message) {
    const std::size_t bytes = message.size();
    message.push_back(0x80);
    message.resize((message.size() + 8 + 63) / 64 * 64);
    message[message.size() - 9] |= 1;
    for (int i = 0; i < 8; ++i)
      message[message.size() - 1 - i] = static_cast<unsigned char>(std::uint64_t(8 * bytes) >> 8 * i);

    std::vector<std::uint32_t> h = INITIAL_VALUE;
    for (std::size_t at = 0; at < message.size(); at += 64)
      compress(h, &message[at], at >= bytes ? 0 : 8 * std::min(bytes, at + 64));
    return h;
  }

private:
  static void compress(std::vector<std::uint32_t> &h, const unsigned char *block, std::uint64_t bits) {
    static const int permutation[10][16] = PERMUTATIONS;
    static const std::uint32_t c[16] = DIGITS_OF_PI;
    static const int steps[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14}, {3, 7, 11, 15},
                                    {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13},  {3, 4, 9, 14}};
    std::uint32_t m[16], v[16];
    for (int i = 0; i < 16; ++i) {
      m[i] = std::uint32_t(block[4 * i]) << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
      v[i] = i < 8 ? h[i] : c[i - 8];
    }
    for (int i = 12; i < 16; ++i)
      v[i] ^= static_cast<std::uint32_t>(i < 14 ? bits : bits >> 32);
    for (int round = 0; round < 14; ++round)
      for (int i = 0; i < 8; ++i) {
        const int *p = permutation[round % 10];
        std::uint32_t &a = v[steps[i][0]], &b = v[steps[i][1]], &e = v[steps[i][2]], &d = v[steps[i][3]];
        for (int half = 0; half < 2; ++half) {
          a += b + (m[p[2 * i + half]] ^ c[p[2 * i + 1 - half]]);
          d = rotated(d ^ a, half ? 8 : 16);
          e += d;
          b = rotated(b ^ e, half ? 7 : 12);
        }
      }
    for (int i = 0; i < 16; ++i)
      h[i % 8] ^= v[i];
  }

  static std::uint32_t rotated(std::uint32_t x, int n) { return x >> n | x << (32 - n); }
};

std::vector<unsigned int> someHeader() {
  std::vector<unsigned int> header(20);
  unsigned int random = 2;
  for (unsigned int &word : header) {
    random = random * 1664525u + 1013904223u;
    word = random ^ random >> 15;
  }
  return header;
}

} // namespace

namespace samples::blake256 {

Problem::Problem(unsigned blocks)
    : header(someHeader()), startNonce(0x87654321), noncesPerThread(4), count(blocks * 256 - 91), target(0x01ffffff),
      digests(count), hits(2) {
  grid = dim3(blocks);
  SAMPLES_REQUIRE(cudaMemcpyToSymbol(blake256Header, header.data(), sizeof(blake256Header)));
}

void Problem::launch(cudaStream_t stream) const {
  blake256Search<<<grid, 256, 0, stream>>>(startNonce, noncesPerThread, count, target, digests.get(), hits.get());
}

std::vector<Output> Problem::outputs() const {
  return {{"digests", digests.get(), digests.bytes(), false}, {"hits", hits.get(), hits.bytes(), true}};
}

bool Problem::check() const {
  const std::vector<unsigned int> found = digests.toHost(), foundHits = hits.toHost();
  std::vector<unsigned char> message(80);
  const auto setWord = [&](int index, unsigned int value) {
    for (int byte = 0; byte < 4; ++byte)
      message[4 * index + byte] = static_cast<unsigned char>(value >> (24 - 8 * byte));
  };
  for (int i = 0; i < 20; ++i)
    setWord(i, header[i]);
  unsigned int hitCount = 0, firstHit = 0;
  for (unsigned int thread = 0; thread < count; ++thread) {
    unsigned int expected = 0;
    for (unsigned int i = 0; i < noncesPerThread; ++i) {
      const unsigned int nonce = startNonce + i * count + thread;
      setWord(19, nonce);
      const std::vector<std::uint32_t> digest = Reference::hash(message);
      for (std::uint32_t word : digest)
        expected ^= word;
      if (digest[0] <= target) {
        ++hitCount;
        firstHit = std::max(firstHit, ~nonce);
      }
    }
    if (found[thread] != expected) {
      std::printf("blake256: digests[%u] is %08x, expected %08x\n", thread, found[thread], expected);
      return false;
    }
  }
  if (foundHits[0] != hitCount || foundHits[1] != firstHit) {
    std::printf("blake256: hits are %u, %08x, expected %u, %08x\n", foundHits[0], foundHits[1], hitCount, firstHit);
    return false;
  }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::blake256

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("blake256", samples::blake256::make, argc, argv); }
#endif
