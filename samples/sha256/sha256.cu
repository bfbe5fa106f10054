// SHA-256d (FIPS 180-4, applied twice) nonce search over an 80-byte block header.
#include "sha256.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#define BLOCK 256

static __constant__ unsigned int K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static __device__ __forceinline__ unsigned int rotr(unsigned int x, int n) { return (x >> n) | (x << (32 - n)); }

static __device__ __forceinline__ unsigned int byteSwap(unsigned int x) { return __byte_perm(x, 0, 0x0123); }

#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#define SUM0(x) (rotr(x, 2) ^ rotr(x, 13) ^ rotr(x, 22))
#define SUM1(x) (rotr(x, 6) ^ rotr(x, 11) ^ rotr(x, 25))
#define SIGMA0(x) (rotr(x, 7) ^ rotr(x, 18) ^ ((x) >> 3))
#define SIGMA1(x) (rotr(x, 17) ^ rotr(x, 19) ^ ((x) >> 10))

// Round `base + i`, whose message word is w[i].
#define ROUND(a, b, c, d, e, f, g, h, i)                                                                               \
  do {                                                                                                                 \
    const unsigned int t = h + SUM1(e) + CHOOSE(e, f, g) + K[base + (i)] + w[i];                                       \
    d += t;                                                                                                            \
    h = t + SUM0(a) + MAJORITY(a, b, c);                                                                               \
  } while (0)

#define EIGHT_ROUNDS(i)                                                                                                \
  ROUND(a, b, c, d, e, f, g, h, (i));                                                                                  \
  ROUND(h, a, b, c, d, e, f, g, (i) + 1);                                                                              \
  ROUND(g, h, a, b, c, d, e, f, (i) + 2);                                                                              \
  ROUND(f, g, h, a, b, c, d, e, (i) + 3);                                                                              \
  ROUND(e, f, g, h, a, b, c, d, (i) + 4);                                                                              \
  ROUND(d, e, f, g, h, a, b, c, (i) + 5);                                                                              \
  ROUND(c, d, e, f, g, h, a, b, (i) + 6);                                                                              \
  ROUND(b, c, d, e, f, g, h, a, (i) + 7)

/// Adds the block `w` to `state`; `w` is used up as the message schedule.
static __device__ __forceinline__ void compress(unsigned int (&state)[8], unsigned int (&w)[16]) {
  unsigned int a = state[0], b = state[1], c = state[2], d = state[3];
  unsigned int e = state[4], f = state[5], g = state[6], h = state[7];
#pragma unroll
  for (int base = 0; base < 64; base += 16) {
    if (base > 0) {
#pragma unroll
      for (int i = 0; i < 16; ++i)
        w[i] += SIGMA0(w[(i + 1) & 15]) + w[(i + 9) & 15] + SIGMA1(w[(i + 14) & 15]);
    }
    EIGHT_ROUNDS(0);
    EIGHT_ROUNDS(8);
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

/// The digest's last word as the top word of the little-endian number that miners compare with a target.
static __device__ __forceinline__ unsigned int topWord(const samples::sha256::Job &job, unsigned int nonce) {
  unsigned int inner[8], w[16];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    inner[i] = job.midstate[i];
#pragma unroll
  for (int i = 0; i < 16; ++i)
    w[i] = 0;
  w[0] = job.tail[0];
  w[1] = job.tail[1];
  w[2] = job.tail[2];
  w[3] = byteSwap(nonce);
  w[4] = 0x80000000;
  w[15] = 640;
  compress(inner, w);

  unsigned int outer[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma unroll
  for (int i = 0; i < 16; ++i)
    w[i] = i < 8 ? inner[i & 7] : 0;
  w[8] = 0x80000000;
  w[15] = 256;
  compress(outer, w);
  return byteSwap(outer[7]);
}

__global__ void sha256Search(samples::sha256::Job job, unsigned int startNonce, unsigned int noncesPerThread,
                             unsigned int count, unsigned int target, unsigned int *digests, unsigned int *hits) {
  const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count)
    return;
  unsigned int folded = 0;
#pragma unroll 1
  for (unsigned int i = 0; i < noncesPerThread; ++i) {
    const unsigned int nonce = startNonce + i * count + thread;
    const unsigned int top = topWord(job, nonce);
    folded ^= top;
    if (top <= target) {
      atomicAdd(&hits[0], 1u);
      atomicMax(&hits[1], ~nonce);
    }
  }
  digests[thread] = folded;
}

namespace {

/// SHA-256 as FIPS 180-4 words it, its constants computed from their definition.
class Reference {
public:
  using State = std::vector<std::uint32_t>;

  Reference() {
    for (int n = 2; Constants.size() < 64; ++n) {
      bool prime = true;
      for (int divisor = 2; divisor * divisor <= n; ++divisor)
        prime = prime && n % divisor != 0;
      if (!prime)
        continue;
      if (Initial.size() < 8)
        Initial.push_back(fraction(std::sqrt(static_cast<long double>(n))));
      Constants.push_back(fraction(std::cbrt(static_cast<long double>(n))));
    }
  }

  const State &initial() const { return Initial; }

  State compress(const State &state, const unsigned char *block) const {
    std::uint32_t w[64];
    for (int t = 0; t < 16; ++t)
      w[t] = std::uint32_t(block[4 * t]) << 24 | block[4 * t + 1] << 16 | block[4 * t + 2] << 8 | block[4 * t + 3];
    for (int t = 16; t < 64; ++t)
      w[t] = (rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
             (rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
    std::uint32_t v[8]; // a to h
    std::copy(state.begin(), state.end(), v);
    for (int t = 0; t < 64; ++t) {
      const std::uint32_t t1 = v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) +
                               ((v[4] & v[5]) ^ (~v[4] & v[6])) + Constants[t] + w[t];
      const std::uint32_t t2 =
          (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      std::copy_backward(v, v + 7, v + 8);
      v[4] += t1;
      v[0] = t1 + t2;
    }
    State sum = state;
    for (int i = 0; i < 8; ++i)
      sum[i] += v[i];
    return sum;
  }

  std::vector<unsigned char> hash(std::vector<unsigned char> message) const {
    const std::uint64_t bits = 8 * message.size();
    message.push_back(0x80);
    message.resize((message.size() + 8 + 63) / 64 * 64);
    for (int i = 0; i < 8; ++i)
      message[message.size() - 1 - i] = static_cast<unsigned char>(bits >> 8 * i);
    State state = Initial;
    for (std::size_t at = 0; at < message.size(); at += 64)
      state = compress(state, &message[at]);
    std::vector<unsigned char> digest;
    for (std::uint32_t word : state)
      for (int shift = 24; shift >= 0; shift -= 8)
        digest.push_back(static_cast<unsigned char>(word >> shift));
    return digest;
  }

private:
  static std::uint32_t fraction(long double x) {
    return static_cast<std::uint32_t>((x - std::floor(x)) * 4294967296.0L);
  }
  static std::uint32_t rotated(std::uint32_t x, int n) { return x >> n | x << (32 - n); }

  State Initial, Constants;
};

std::vector<unsigned char> someHeader() {
  std::vector<unsigned char> header(80);
  unsigned int random = 1;
  for (unsigned char &byte : header) {
    random = random * 1664525u + 1013904223u;
    byte = static_cast<unsigned char>(random >> 24);
  }
  return header;
}

samples::sha256::Job prepareJob(const std::vector<unsigned char> &header) {
  const Reference reference;
  samples::sha256::Job job;
  const Reference::State midstate = reference.compress(reference.initial(), header.data());
  std::copy(midstate.begin(), midstate.end(), job.midstate);
  for (int i = 0; i < 3; ++i)
    job.tail[i] = static_cast<unsigned int>(header[64 + 4 * i]) << 24 | header[65 + 4 * i] << 16 |
                  header[66 + 4 * i] << 8 | header[67 + 4 * i];
  return job;
}

} // namespace

namespace samples::sha256 {

Problem::Problem(unsigned blocks)
    : header(someHeader()), job(prepareJob(header)), startNonce(0x12345678), noncesPerThread(4),
      count(blocks * BLOCK - 37), target(0x00ffffff), digests(count), hits(2) {
  grid = dim3(blocks);
}

void Problem::launch(cudaStream_t stream) const {
  sha256Search<<<grid, BLOCK, 0, stream>>>(job, startNonce, noncesPerThread, count, target, digests.get(), hits.get());
}

std::vector<Output> Problem::outputs() const {
  return {{"digests", digests.get(), digests.bytes(), false}, {"hits", hits.get(), hits.bytes(), true}};
}

bool Problem::check() const {
  const Reference reference;
  const std::vector<unsigned int> found = digests.toHost(), foundHits = hits.toHost();
  std::vector<unsigned char> message = header;
  unsigned int hitCount = 0, firstHit = 0;
  for (unsigned int thread = 0; thread < count; ++thread) {
    unsigned int expected = 0;
    for (unsigned int i = 0; i < noncesPerThread; ++i) {
      const unsigned int nonce = startNonce + i * count + thread;
      for (int byte = 0; byte < 4; ++byte)
        message[76 + byte] = static_cast<unsigned char>(nonce >> 8 * byte);
      const std::vector<unsigned char> digest = reference.hash(reference.hash(message));
      unsigned int top = 0;
      for (int byte = 31; byte >= 28; --byte)
        top = top << 8 | digest[byte];
      expected ^= top;
      if (top <= target) {
        ++hitCount;
        firstHit = std::max(firstHit, ~nonce);
      }
    }
    if (found[thread] != expected) {
      std::printf("sha256: digests[%u] is %08x, expected %08x\n", thread, found[thread], expected);
      return false;
    }
  }
  if (foundHits[0] != hitCount || foundHits[1] != firstHit) {
    std::printf("sha256: hits are %u, %08x, expected %u, %08x\n", foundHits[0], foundHits[1], hitCount, firstHit);
    return false;
  }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::sha256

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("sha256", samples::sha256::make, argc, argv); }
#endif
