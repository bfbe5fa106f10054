// The kernels of this folder for elements of any type: T is float, __half or __nv_bfloat16. They compute in single
// precision, one element per thread; cufuse's --vectorize makes wide accesses of them.
#include "philox.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T>
__global__ void addBiasOf(const T *__restrict__ in, const T *__restrict__ bias, T *__restrict__ out, int n,
                          int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = static_cast<T>(static_cast<float>(in[i]) + static_cast<float>(bias[i % columns]));
}

/// The tanh form.
template <typename T> __global__ void geluOf(const T *__restrict__ in, T *__restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const float x = static_cast<float>(in[i]), inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    out[i] = static_cast<T>(0.5f * x * (1.0f + tanhf(inner)));
  }
}

/// Elements are kept with probability 1 - p.
template <typename T>
__global__ void dropoutOf(const T *__restrict__ in, T *__restrict__ out, float p, unsigned seed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = static_cast<T>(philox(i, seed).x * 0x1p-32f < p ? 0.0f : static_cast<float>(in[i]) / (1.0f - p));
}

/// Adds to the residual stream, in place.
template <typename T> __global__ void addResidualOf(T *__restrict__ x, const T *__restrict__ residual, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = static_cast<T>(static_cast<float>(x[i]) + static_cast<float>(residual[i]));
}

/// out = silu(gate) * up.
template <typename T>
__global__ void siluMulOf(const T *__restrict__ gate, const T *__restrict__ up, T *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float x = static_cast<float>(gate[i]);
    out[i] = static_cast<T>(x / (1.0f + expf(-x)) * static_cast<float>(up[i]));
  }
}
