// Rows of unit length, in three steps: squares, their sum, and the division by its root.
#include "block.h"

/// One element per thread, whatever the rows are.
__global__ void square(const float *__restrict__ x, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] * x[i];
}

/// One block per row.
__global__ void rowSum(const float *__restrict__ in, float *__restrict__ sum, int columns) {
  float total = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    total += in[blockIdx.x * columns + i];
  total = blockSum(total);
  if (threadIdx.x == 0)
    sum[blockIdx.x] = total;
}

__global__ void divideRow(const float *__restrict__ x, const float *__restrict__ sum, float *__restrict__ out,
                          int columns, float least) {
  const float length = fmaxf(sqrtf(sum[blockIdx.x]), least);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = x[blockIdx.x * columns + i] / length;
}
