// Of kernels in turn, functions of one find its block, and its dynamic shared memory, by the names that are parameters of
// the other: in blocks of the launch, and in those that a loop or a queue gives.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:sums kernels.cu:reversed --link sums.out=reversed.in --block 64 --name first -o first.cu
// RUN: %cufuse fuse --vertical kernels.cu:reversed kernels.cu:sums --link reversed.out=sums.in --block 64 --grid-policy stride \
// RUN:   --name second -o second.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/first.cu %t/second.cu

//--- kernels.cu
extern __shared__ int row[];
__device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int sum() {
  int all = 0;
  for (int i = 0; i < blockDim.x; ++i)
    all += row[i] * (i + 1);
  return all + gridDim.x;
}
__global__ void sums(const int *in, int *out) {
  row[threadIdx.x] = in[place()];
  __syncthreads();
  out[place()] = sum() + threadIdx.x;
}
__global__ void reversed(const int *in, int *out) {
  extern __shared__ int own[];
  own[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = own[blockDim.x - 1 - threadIdx.x] * gridDim.x;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "first.h"
#include "second.h"

int main() {
  constexpr int grid = 300, room = grid * 64, bytes = 64 * sizeof(int);
  Array<int> in(room), between(room), out(room);
  Both both;
  both.output("between", between), both.output("out", out);
  first::sums_reversed::Launch one{};
  one.grid = grid, one.dynamicSharedBytes = bytes;
  one.arguments.in = in, one.arguments.sums_out = between, one.arguments.reversed_out = out;
  bool good = both.same(
      "first", [&] { sums<<<grid, 64, bytes>>>(in, between), reversed<<<grid, 64, bytes>>>(between, out); },
      [&] { require(first::launch(one), "first"); });
  second::reversed_sums::Launch two{};
  two.grid = grid, two.dynamicSharedBytes = bytes;
  two.arguments.in = in, two.arguments.reversed_out = between, two.arguments.sums_out = out;
  good &= both.same(
      "second", [&] { reversed<<<grid, 64, bytes>>>(in, between), sums<<<grid, 64, bytes>>>(between, out); },
      [&] { require(second::launch(two), "second"); });
  return good ? 0 : 1;
}
