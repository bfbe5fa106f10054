// The kernels of this folder on halves, eight at a time: one access of 16 bytes where there are eight, and at the end
// one by one. What they compute of an element is computed in single precision.
#include <cstdint>
#include <cuda_fp16.h>

/// A thread's eight, in pairs.
struct alignas(16) Halves {
  __half2 pairs[4];
};

__device__ __forceinline__ float geluOf(float x) {
  const float inner = 0.7978845608028654f * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.0f + tanhf(inner));
}

/// As in dropout.cu.
__device__ __forceinline__ std::uint32_t mixedBits(std::uint32_t seed, std::uint32_t index) {
  std::uint32_t h = seed ^ (index * 0x9e3779b9u);
  for (int round = 0; round < 2; ++round) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
  }
  return h;
}
__device__ __forceinline__ float dropped(float x, float p, unsigned seed, int i) {
  return mixedBits(seed, i) * 0x1p-32f < p ? 0.0f : x / (1.0f - p);
}

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
        pairs[k] = __floats2half2_rn(geluOf(__low2float(pairs[k])), geluOf(__high2float(pairs[k])));
      reinterpret_cast<uint4 *>(out)[group] = words;
    } else {
      for (int i = 8 * group; i < n; ++i)
        out[i] = __float2half(geluOf(__half2float(in[i])));
    }
  }
}

__global__ void dropoutHalf8(const __half *__restrict__ in, __half *__restrict__ out, float p, unsigned seed, int n) {
  const int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first + 8 <= n) {
    Halves values = *reinterpret_cast<const Halves *>(&in[first]);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      values.pairs[k] = __floats2half2_rn(dropped(__low2float(values.pairs[k]), p, seed, first + 2 * k),
                                          dropped(__high2float(values.pairs[k]), p, seed, first + 2 * k + 1));
    *reinterpret_cast<Halves *>(&out[first]) = values;
    return;
  }
  for (int k = 0; k < 8 && first + k < n; ++k)
    out[first + k] = __float2half(dropped(__half2float(in[first + k]), p, seed, first + k));
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
