// What stands between the products of attention: a scale, an element a thread, and a softmax, a block for each row.
#include <cuda_fp16.h>
#include <math.h>

__global__ void scale(const float *__restrict__ in, float *__restrict__ out, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * by;
}

/// Row r is the query r % `queries` of a head, which sees the keys up to its own.
__global__ void scaleAndMask(const float *__restrict__ in, float *__restrict__ out, float by, int n, int queries,
                             int keys) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = i % keys > i / keys % queries ? -INFINITY : in[i] * by;
}

/// Of the first columns; the others are 0.
template <typename T>
__device__ void softmaxOfRow(const T *__restrict__ in, __half *__restrict__ out, int columns, int first) {
  __shared__ float parts[256];
  const T *const from = in + static_cast<size_t>(blockIdx.x) * columns;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < first; i += blockDim.x)
    most = fmaxf(most, static_cast<float>(from[i]));
  parts[threadIdx.x] = most;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + half]);
  }
  __syncthreads();
  most = parts[0];
  __syncthreads();
  for (int i = threadIdx.x; i < first; i += blockDim.x)
    sum += expf(static_cast<float>(from[i]) - most);
  parts[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  __syncthreads();
  sum = parts[0];
  for (int i = threadIdx.x; i < first; i += blockDim.x)
    out[static_cast<size_t>(blockIdx.x) * columns + i] = __float2half(expf(static_cast<float>(from[i]) - most) / sum);
  for (int i = first + threadIdx.x; i < columns; i += blockDim.x)
    out[static_cast<size_t>(blockIdx.x) * columns + i] = __float2half(0);
}
__global__ void softmax(const float *__restrict__ in, __half *__restrict__ out, int columns) {
  softmaxOfRow(in, out, columns, columns);
}
/// Or with a causal mask, of as many queries as keys.
__global__ void softmaxOfHalves(const __half *__restrict__ in, __half *__restrict__ out, int columns, bool masks) {
  softmaxOfRow(in, out, columns, masks ? blockIdx.x % columns + 1 : columns);
}
