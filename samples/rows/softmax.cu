// Softmax of rows, and dropout (../elementwise/dropout.cu) behind it: what attention does with its scores.
#include "block.h"

/// One block per row; exponentials are stored, summed and divided by the sum.
__global__ void exponentials(const float *__restrict__ scores, float *__restrict__ out, int columns) {
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    largest = fmaxf(largest, scores[blockIdx.x * columns + i]);
  largest = blockMaximum(largest);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = expf(scores[blockIdx.x * columns + i] - largest);
}

__global__ void toShares(const float *__restrict__ in, float *__restrict__ out, int columns) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += in[blockIdx.x * columns + i];
  sum = blockSum(sum);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] / sum;
}
