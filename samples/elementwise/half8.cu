// The kernels of this folder on halves, eight at a time: one access of 16 bytes where there are eight, and at the end
// one by one. They compute in single precision.
#include "philox.h"

#include <cuda_fp16.h>

/// A thread's eight, in pairs.
struct alignas(16) Halves {
  __half2 pairs[4];
};

/// The tanh form, with the tanh that the hardware has for halves: it is off by at most 2^-10.98 (CUDA Math API,
/// h2tanh_approx).
__device__ __forceinline__ __half2 geluOf(__half2 pair) {
  const float2 x = __half22float2(pair);
  const __half2 inner = __floats2half2_rn(x.x * (0.7978845608f + 0.0356774081f * x.x * x.x),
                                          x.y * (0.7978845608f + 0.0356774081f * x.y * x.y));
  const float2 tanhs = __half22float2(h2tanh_approx(inner));
  return __floats2half2_rn(0.5f * x.x * (1.0f + tanhs.x), 0.5f * x.y * (1.0f + tanhs.y));
}

/// Elements are kept with probability 1 - p. Element i gets word i % 4 of Philox for i / 4: all four words are used.
struct Dropout {
  float p, scale;
  std::uint32_t seed;

  __device__ __forceinline__ Dropout(float p, unsigned seed) : p(p), scale(1.0f / (1.0f - p)), seed(seed) {}

  __device__ __forceinline__ float of(__half x, std::uint32_t word) const {
    return word * 0x1p-32f < p ? 0.0f : __half2float(x) * scale;
  }
  __device__ __forceinline__ __half2 pair(__half2 x, std::uint32_t low, std::uint32_t high) const {
    return __floats2half2_rn(of(__low2half(x), low), of(__high2half(x), high));
  }
  __device__ __forceinline__ __half one(__half x, int i) const {
    const uint4 words = philox(i / 4, seed);
    const std::uint32_t word = i & 2 ? (i & 1 ? words.w : words.z) : (i & 1 ? words.y : words.x);
    return __float2half(of(x, word));
  }
};

/// `columns` is a multiple of eight.
__global__ void addBiasHalf8(const __half *__restrict__ in, const __half *__restrict__ bias, __half *__restrict__ out,
                             int n, int columns) {
  const int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first >= n)
    return;
  const int column = first % columns;
  if (first + 8 <= n) {
    Halves values = *reinterpret_cast<const Halves *>(in + first);
    const Halves biases = *reinterpret_cast<const Halves *>(bias + column);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      values.pairs[k] = __hadd2(values.pairs[k], biases.pairs[k]);
    *reinterpret_cast<Halves *>(out + first) = values;
  } else {
    for (int i = first; i < n; ++i)
      out[i] = __hadd(in[i], bias[column + i - first]);
  }
}

__global__ void geluHalf8(const __half *__restrict__ in, __half *__restrict__ out, int n) {
  for (int group = blockIdx.x * blockDim.x + threadIdx.x; 8 * group < n; group += blockDim.x * gridDim.x) {
    if (8 * group + 7 < n) {
      uint4 words = reinterpret_cast<const uint4 *>(in)[group];
      __half2 *pairs = reinterpret_cast<__half2 *>(&words);
#pragma unroll
      for (int k = 0; k < 4; ++k)
        pairs[k] = geluOf(pairs[k]);
      reinterpret_cast<uint4 *>(out)[group] = words;
    } else {
      for (int i = 8 * group; i < n; ++i)
        out[i] = __low2half(geluOf(__half2half2(in[i])));
    }
  }
}

__global__ void dropoutHalf8(const __half *__restrict__ in, __half *__restrict__ out, float p, unsigned seed, int n) {
  const int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  const Dropout dropout(p, seed);
  if (first + 8 <= n) {
    Halves values = *reinterpret_cast<const Halves *>(&in[first]);
#pragma unroll
    for (int k = 0; k < 4; k += 2) {
      const uint4 words = philox((first + 2 * k) / 4, seed);
      values.pairs[k] = dropout.pair(values.pairs[k], words.x, words.y);
      values.pairs[k + 1] = dropout.pair(values.pairs[k + 1], words.z, words.w);
    }
    *reinterpret_cast<Halves *>(&out[first]) = values;
    return;
  }
  for (int k = 0; k < 8 && first + k < n; ++k)
    out[first + k] = dropout.one(in[first + k], first + k);
}

/// Adds to the residual stream, in place.
__global__ void addResidualHalf8(__half *__restrict__ x, const __half *__restrict__ residual, int n) {
  const int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first + 8 <= n) {
    Halves *own = reinterpret_cast<Halves *>(x + first);
    const Halves other = *reinterpret_cast<const Halves *>(residual + first);
    Halves sum = *own;
#pragma unroll
    for (int k = 0; k < 4; ++k)
      sum.pairs[k] = __hadd2(sum.pairs[k], other.pairs[k]);
    *own = sum;
  } else {
    for (int i = first; i < n; ++i)
      x[i] = __hadd(x[i], residual[i]);
  }
}

/// out = silu(gate) * up.
__global__ void siluMulHalf8(const __half *__restrict__ gate, const __half *__restrict__ up, __half *__restrict__ out,
                             int n) {
  const int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll
  for (int k = 0; k < 8; ++k)
    if (first + k < n) {
      const float x = __half2float(gate[first + k]);
      out[first + k] = __float2half(x / (1.0f + expf(-x)) * __half2float(up[first + k]));
    }
}
