// What stands between the products of attention: a causal mask with a scale, an element a thread, and a softmax.
#include <cuda_fp16.h>
#include <math.h>

/// Row r is the query r % `queries` of a head, which sees the keys up to its own.
__global__ void scaleAndMask(const float *__restrict__ in, float *__restrict__ out, float scale, int n, int queries,
                             int keys) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = i % keys > i / keys % queries ? -INFINITY : in[i] * scale;
}

/// A warp for each row.
__global__ void softmax(const float *__restrict__ in, __half *__restrict__ out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows)
    return;
  const float *const from = in + static_cast<size_t>(row) * columns;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32)
    most = fmaxf(most, from[i]);
  for (int lanes = 16; lanes > 0; lanes /= 2)
    most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, lanes));
  for (int i = threadIdx.x; i < columns; i += 32)
    sum += expf(from[i] - most);
  for (int lanes = 16; lanes > 0; lanes /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, lanes);
  for (int i = threadIdx.x; i < columns; i += 32)
    out[static_cast<size_t>(row) * columns + i] = __float2half(expf(from[i] - most) / sum);
}
