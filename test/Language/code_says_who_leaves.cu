// Threads that leave before a barrier or a warp primitive are found by the device's code, whatever the text looks like.
// RUN: %cufuse inspect --full %s -- -std=c++17 --gpu-architecture=sm_90a | FileCheck %s
#include <mma.h>

struct Chunk {
  int first, others[40];
};

// CHECK: argumentInMemory(
// CHECK: leaves early
__global__ void argumentInMemory(Chunk chunk, int n, int *out) {
  chunk.others[n] = threadIdx.x;
  int *at = n ? chunk.others : &chunk.first;
  if (at[n] > 3)
    return;
  __syncthreads();
  *out = 1;
}

__device__ void down(int depth, int limit, int *out) {
  if (limit < 0)
    return;
  __syncthreads();
  out[threadIdx.x] += limit;
  down(depth + 1, depth > 4 ? limit - static_cast<int>(threadIdx.x) : limit, out);
}
// CHECK: recursion(
// CHECK: leaves early
__global__ void recursion(int *out) { down(0, 100, out); }

struct Level {
  unsigned own;
  __device__ void down(int depth, unsigned a, unsigned b, unsigned c, unsigned d, int *out) const {
    if (own < 64)
      __syncthreads();
    if (depth > 0)
      Level{a}.down(depth - 1, b, c, d, threadIdx.x, out);
  }
};
// CHECK: deepRecursion(
// CHECK: leaves early {{.*}}: threads may leave in a function that calls itself
__global__ void deepRecursion(int *out, int n) { Level{0}.down(n, 0, 0, 0, 0, out); }

// CHECK: numberGiven(
// CHECK: leaves early
__global__ void numberGiven(int *out) {
  if (atomicAdd(out, 1) > 40)
    return;
  __syncthreads();
  out[1] = 1;
}

// CHECK: onePlaceEach(
// CHECK: leaves early
__global__ void onePlaceEach(int *out, int n) {
  int own[2] = {0, 0};
  own[threadIdx.x % 2] = 1;
  if (own[n])
    __syncthreads();
  *out = 1;
}

// CHECK: written(
// CHECK: leaves early
__global__ void written(int *out, int n) {
  atomicAdd(out + n, 1);
  if (out[n] > 3)
    __syncthreads();
  out[1] = 1;
}

__device__ int exchange(int depth, int limit, int v) {
  if (limit < 0)
    return v;
  v = __shfl_xor_sync(0xffffffff, v, 1);
  return exchange(depth + 1, depth > 4 ? limit - static_cast<int>(threadIdx.x) : limit, v);
}
// CHECK: lanesOfRecursion(
// CHECK: leaves early {{.*}}: lanes may leave in {{.*}}
__global__ void lanesOfRecursion(int *data) { data[threadIdx.x] = exchange(0, 100, data[threadIdx.x]); }

// CHECK: countedInBlock(
// CHECK: leaves early
__global__ void countedInBlock(int *out) {
  __shared__ int count;
  count = 0;
  __syncthreads();
  atomicAdd_block(&count, 1);
  if (count > 2)
    __syncthreads();
  *out = 1;
}

__device__ int sum(const int *at, const int *end) {
  int all = 0;
  for (; at != end; ++at)
    all += *at;
  return all;
}
// CHECK: lanesByArgument(
// CHECK: leaves early
__global__ void lanesByArgument(Chunk chunk, int n, int *data) {
  chunk.others[1] += threadIdx.x;
  if (sum(chunk.others, chunk.others + 4) < n)
    data[threadIdx.x] = __shfl_down_sync(0xffffffff, data[threadIdx.x], 1);
}

// CHECK: partOfMatrix(
// CHECK: leaves early
__global__ void partOfMatrix(const float *in, float *out) {
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> part;
  nvcuda::wmma::load_matrix_sync(part, in, 16, nvcuda::wmma::mem_row_major);
  if (part.x[0] > 1) {
    __syncthreads();
    out[threadIdx.x] = 1;
  }
}

// What all threads agree on stops nobody, with arithmetic of CUDA's library or without.
// CHECK: agreed(
// CHECK-NOT: leaves early
__global__ void agreed(int *out, const int *counts, int n) {
  for (int i = 0; i < min(counts[0], n); ++i) {
    __syncthreads();
    out[threadIdx.x] = i;
  }
}
