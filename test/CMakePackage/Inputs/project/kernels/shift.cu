#include "bounds.h"

template <typename T> __global__ void shift(T *data, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (inside(i, size))
    data[i] += OFFSET;
}
