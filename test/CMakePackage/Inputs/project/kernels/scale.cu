#include "bounds.h"

__global__ void scale(float *data, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (inside(i, size))
    data[i] *= FACTOR;
}
