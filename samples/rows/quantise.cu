// RMSNorm (Zhang and Sennrich, arXiv 1910.07467), then symmetric quantisation to int8 with a scale for each row. One
// block per row; T is float, __half or __nv_bfloat16, and sums are float.
#include "block.h"

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T>
__global__ void rmsNormRow(const T *__restrict__ x, const T *__restrict__ weight, T *__restrict__ out, int columns,
                           float epsilon) {
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float value = static_cast<float>(x[static_cast<size_t>(blockIdx.x) * columns + i]);
    squares += value * value;
  }
  const float factor = rsqrtf(blockSum(squares) / columns + epsilon);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const size_t at = static_cast<size_t>(blockIdx.x) * columns + i;
    out[at] = static_cast<T>(static_cast<float>(x[at]) * factor * static_cast<float>(weight[i]));
  }
}

/// The largest magnitude of a row becomes 127.
template <typename T>
__global__ void quantiseRow(const T *__restrict__ in, std::int8_t *__restrict__ out, float *__restrict__ scale,
                            int columns) {
  float largest = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    largest = fmaxf(largest, fabsf(static_cast<float>(in[static_cast<size_t>(blockIdx.x) * columns + i])));
  largest = blockMaximum(largest);
  const float step = largest > 0.0f ? largest / 127.0f : 1.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const size_t at = static_cast<size_t>(blockIdx.x) * columns + i;
    out[at] = static_cast<std::int8_t>(rintf(static_cast<float>(in[at]) / step));
  }
  if (threadIdx.x == 0)
    scale[blockIdx.x] = step;
}
