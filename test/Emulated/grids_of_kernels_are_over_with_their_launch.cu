// Grids that kernels launch run after what their block launched before, and before the host goes on; an impossible one is
// an error.
// RUN: %emulate -o %t %s
// RUN: %t parent && env EMULATED_SEED=2 %t parent && env EMULATED_SEED=3 %t parent
// RUN: %exits 1 %t ordered
// RUN: %exits 87 %t impossible 2>&1 | %FileCheck %s

// CHECK: emulated: a kernel launches an impossible grid

#include "Inputs/check.h"

__global__ void set(int *place, int value) { place[threadIdx.x] = value; }
__global__ void twice(int *place, int depth) {
  place[threadIdx.x] = place[threadIdx.x] * 2;
  if (depth > 0 && threadIdx.x == 0)
    twice<<<1, blockDim.x>>>(place, depth - 1);
}
__global__ void addFifteen(int *place) { place[threadIdx.x] += 15; }
__global__ void parent(int *right) {
  if (threadIdx.x == 0) {
    int value = -1;
    set<<<1, blockDim.x>>>(right, value);
    value = 3; // the launch has its own
    twice<<<1, blockDim.x>>>(right, 3);
  }
  __syncthreads();
  if (threadIdx.x == 1) {
    addFifteen<<<1, blockDim.x>>>(right);
    addFifteen<<<1, 1>>>(right + 64);
  }
}
// What the parent writes after the launch is not what its child must find.
__global__ void ordered(int *right) {
  if (threadIdx.x == 0)
    set<<<1, 64>>>(right, 1);
  __syncthreads();
  right[threadIdx.x] = 2;
  if (threadIdx.x == 0)
    twice<<<1, 64>>>(right, 0);
}
__global__ void impossible(int *right) { set<<<1, 2000>>>(right, 1); }

int main(int argc, char **argv) {
  if (argc > 1 && argv[1] == std::string("parent")) {
    int *results;
    cudaMalloc(&results, 65 * sizeof(int));
    cudaMemset(results, 0, 65 * sizeof(int));
    parent<<<1, 64>>>(results);
    for (int i = 0; i < 65; ++i)
      if (results[i] != (i < 64 ? -1 : 15))
        return 1;
    return 0;
  }
  CASE(ordered, 64)
  CASE(impossible, 1)
  return 2;
}
