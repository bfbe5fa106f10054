// Rows of unit length, in three steps: squares, their sum, and the division by its root. T is float, __half or
// __nv_bfloat16, and sums are float.
#include "block.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/// One element per thread, whatever the rows are.
template <typename T> __global__ void square(const T *__restrict__ x, T *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = static_cast<T>(static_cast<float>(x[i]) * static_cast<float>(x[i]));
}

/// One block per row.
template <typename T> __global__ void rowSum(const T *__restrict__ in, float *__restrict__ sum, int columns) {
  float total = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    total += static_cast<float>(in[blockIdx.x * columns + i]);
  total = blockSum(total);
  if (threadIdx.x == 0)
    sum[blockIdx.x] = total;
}

template <typename T>
__global__ void divideRow(const T *__restrict__ x, const float *__restrict__ sum, T *__restrict__ out, int columns,
                          float least) {
  const float length = fmaxf(sqrtf(sum[blockIdx.x]), least);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = static_cast<T>(static_cast<float>(x[blockIdx.x * columns + i]) / length);
}
