// RMSNorm (Zhang and Sennrich, arXiv 1910.07467) in half precision, then symmetric quantisation to int8 with a scale
// for each row. One block per row.
#include "block.h"

#include <cstdint>
#include <cuda_fp16.h>

__global__ void rmsNormRow(const __half *__restrict__ x, const __half *__restrict__ weight, __half *__restrict__ out,
                           int columns, float epsilon) {
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float value = __half2float(x[static_cast<size_t>(blockIdx.x) * columns + i]);
    squares += value * value;
  }
  const float factor = rsqrtf(blockSum(squares) / columns + epsilon);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const size_t at = static_cast<size_t>(blockIdx.x) * columns + i;
    out[at] = __float2half(__half2float(x[at]) * factor * __half2float(weight[i]));
  }
}

/// The largest magnitude of a row becomes 127.
__global__ void quantiseRow(const __half *__restrict__ in, std::int8_t *__restrict__ out, float *__restrict__ scale,
                            int columns) {
  float largest = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    largest = fmaxf(largest, fabsf(__half2float(in[static_cast<size_t>(blockIdx.x) * columns + i])));
  largest = blockMaximum(largest);
  const float step = largest > 0.0f ? largest / 127.0f : 1.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const size_t at = static_cast<size_t>(blockIdx.x) * columns + i;
    out[at] = static_cast<std::int8_t>(rintf(__half2float(in[at]) / step));
  }
  if (threadIdx.x == 0)
    scale[blockIdx.x] = step;
}
