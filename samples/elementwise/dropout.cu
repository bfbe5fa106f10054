// Dropout, with the random numbers that torch.compile's kernels (Triton's tl.rand) take for an element: the first word
// of Philox for the element's index.
#include "philox.h"

/// Elements are kept with probability 1 - p, and then scaled by 1 / (1 - p).
__global__ void dropout(const float *__restrict__ in, float *__restrict__ out, float p, unsigned seed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float uniform = philox(i, seed).x * 0x1p-32f, scale = 1.0f / (1.0f - p);
  out[i] = uniform < p ? 0.0f : in[i] * scale;
}
