// LayerNorm (Ba, Kiros and Hinton, arXiv 1607.06450) in five steps: (x - mean) / sqrt(variance + epsilon) * weight +
// bias. One block per row, of any length; T is float, __half or __nv_bfloat16, and sums are float.
#include "block.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T> __global__ void rowMean(const T *__restrict__ x, float *__restrict__ mean, int columns) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += static_cast<float>(x[static_cast<size_t>(blockIdx.x) * columns + i]);
  sum = blockSum(sum);
  if (threadIdx.x == 0)
    mean[blockIdx.x] = sum / columns;
}

template <typename T>
__global__ void rowVariance(const T *__restrict__ x, const float *__restrict__ mean, float *__restrict__ variance,
                            int columns) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float difference = static_cast<float>(x[static_cast<size_t>(blockIdx.x) * columns + i]) - mean[blockIdx.x];
    sum += difference * difference;
  }
  sum = blockSum(sum);
  if (threadIdx.x == 0)
    variance[blockIdx.x] = sum / columns;
}

template <typename T>
__global__ void normalise(const T *__restrict__ x, const float *__restrict__ mean, const float *__restrict__ variance,
                          T *__restrict__ out, int columns, float epsilon) {
  const float centre = mean[blockIdx.x], factor = rsqrtf(variance[blockIdx.x] + epsilon);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const size_t at = static_cast<size_t>(blockIdx.x) * columns + i;
    out[at] = static_cast<T>((static_cast<float>(x[at]) - centre) * factor);
  }
}

template <typename T>
__global__ void scaleRow(const T *__restrict__ in, const T *__restrict__ weight, T *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const size_t at = static_cast<size_t>(blockIdx.x) * columns + i;
    out[at] = static_cast<T>(static_cast<float>(in[at]) * static_cast<float>(weight[i]));
  }
}

template <typename T>
__global__ void shiftRow(const T *__restrict__ in, const T *__restrict__ bias, T *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const size_t at = static_cast<size_t>(blockIdx.x) * columns + i;
    out[at] = static_cast<T>(static_cast<float>(in[at]) + static_cast<float>(bias[i]));
  }
}
