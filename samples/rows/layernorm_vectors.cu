// LayerNorm in the five steps of layernorm.cu, for rows of whole vectors of 16 bytes: four floats, or eight halves.
#include "block.h"
#include "vector.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace vectors {

/// `row` is the length of a row in vectors, here and below.
template <typename T> __global__ void rowMean(const Vector<T> *__restrict__ x, float *__restrict__ mean, int row) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < row; i += blockDim.x) {
    const Vector<T> values = x[static_cast<size_t>(blockIdx.x) * row + i];
#pragma unroll
    for (int k = 0; k < Vector<T>::size; ++k)
      sum += values[k];
  }
  sum = blockSum(sum);
  if (threadIdx.x == 0)
    mean[blockIdx.x] = sum / (row * Vector<T>::size);
}

template <typename T>
__global__ void rowVariance(const Vector<T> *__restrict__ x, const float *__restrict__ mean,
                            float *__restrict__ variance, int row) {
  const float centre = mean[blockIdx.x];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < row; i += blockDim.x) {
    const Vector<T> values = x[static_cast<size_t>(blockIdx.x) * row + i];
#pragma unroll
    for (int k = 0; k < Vector<T>::size; ++k)
      sum += (values[k] - centre) * (values[k] - centre);
  }
  sum = blockSum(sum);
  if (threadIdx.x == 0)
    variance[blockIdx.x] = sum / (row * Vector<T>::size);
}

template <typename T>
__global__ void normalise(const Vector<T> *__restrict__ x, const float *__restrict__ mean,
                          const float *__restrict__ variance, Vector<T> *__restrict__ out, int row, float epsilon) {
  const float centre = mean[blockIdx.x], factor = rsqrtf(variance[blockIdx.x] + epsilon);
  for (int i = threadIdx.x; i < row; i += blockDim.x) {
    const size_t at = static_cast<size_t>(blockIdx.x) * row + i;
    const Vector<T> values = x[at];
    out[at] = vectorOf<T>([&](int k) { return (values[k] - centre) * factor; });
  }
}

template <typename T>
__global__ void scaleRow(const Vector<T> *__restrict__ in, const Vector<T> *__restrict__ weight,
                         Vector<T> *__restrict__ out, int row) {
  for (int i = threadIdx.x; i < row; i += blockDim.x) {
    const size_t at = static_cast<size_t>(blockIdx.x) * row + i;
    const Vector<T> values = in[at], weights = weight[i];
    out[at] = vectorOf<T>([&](int k) { return values[k] * weights[k]; });
  }
}

template <typename T>
__global__ void shiftRow(const Vector<T> *__restrict__ in, const Vector<T> *__restrict__ bias,
                         Vector<T> *__restrict__ out, int row) {
  for (int i = threadIdx.x; i < row; i += blockDim.x) {
    const size_t at = static_cast<size_t>(blockIdx.x) * row + i;
    const Vector<T> values = in[at], biases = bias[i];
    out[at] = vectorOf<T>([&](int k) { return values[k] + biases[k]; });
  }
}

} // namespace vectors
