// Softmax of rows, and dropout (../elementwise) behind it: what attention does with its scores. T is float, __half or
// __nv_bfloat16; sums are float.
#include "block.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/// One block per row; exponentials are stored, summed and divided by the sum.
template <typename T> __global__ void exponentials(const T *__restrict__ scores, T *__restrict__ out, int columns) {
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    largest = fmaxf(largest, static_cast<float>(scores[blockIdx.x * columns + i]));
  largest = blockMaximum(largest);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] =
        static_cast<T>(expf(static_cast<float>(scores[blockIdx.x * columns + i]) - largest));
}

template <typename T> __global__ void toShares(const T *__restrict__ in, T *__restrict__ out, int columns) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += static_cast<float>(in[blockIdx.x * columns + i]);
  sum = blockSum(sum);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = static_cast<T>(static_cast<float>(in[blockIdx.x * columns + i]) / sum);
}

// For whatever runs them as they stand in this file, as `cufuse tune` does.
template __global__ void exponentials<float>(const float *__restrict__, float *__restrict__, int);
template __global__ void toShares<float>(const float *__restrict__, float *__restrict__, int);
