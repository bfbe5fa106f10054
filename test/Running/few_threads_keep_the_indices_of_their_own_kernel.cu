// Kernels in turns with equal blocks of less than a warp have no hardware barriers that tell them apart: what functions
// read of the first one's block stays until all its threads have ended.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:first %t/kernels.cu:second --block 20 --block 20 --geometry threads --name line \
// RUN:   -o %t/line.cu
// RUN: %cufuse fuse %t/kernels.cu:first %t/kernels.cu:wide %t/kernels.cu:second --block 5x3 --block 96 --block 5x3 \
// RUN:   --copies 2 --copies 1 --copies 1 --geometry threads --name plane -o %t/plane.cu
// RUN: FileCheck %s --input-file=%t/line.cu
// RUN: %cufuse check %t/line.cu && %cufuse check %t/plane.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/line.cu %t/plane.cu
// CHECK: __syncthreads(); // before the indices of another kernel's block are in the same shared memory

//--- kernels.cu
__device__ int place() { return blockIdx.x * 1000 + gridDim.x; }
__device__ int thread() { return threadIdx.y * blockDim.x + threadIdx.x; }
__global__ void first(int *out, const int *turns) {
  int sum = 0;
  for (int k = 0; k < turns[thread()]; ++k)
    sum += place();
  out[blockIdx.x * 20 + thread()] = sum;
}
__global__ void second(int *out, const int *turns) {
  int sum = 0;
  for (int k = 0; k < turns[thread()]; ++k)
    sum += place() * 3;
  out[blockIdx.x * 20 + thread()] = sum;
}
__global__ void wide(int *out) { out[blockIdx.x * 96 + threadIdx.x] = blockIdx.x; }

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "line.h"
#include "plane.h"

int main() {
  Array<int> turns(20, 7), a(400), b(400), c(960);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  bool good = both.same("line", [&] { first<<<4, 20>>>(a, turns), second<<<6, 20>>>(b, turns); },
                        [&] { require(line::launch({4, {a, turns}}, {6, {b, turns}}), "line"); });
  const dim3 block(5, 3);
  good &= both.same(
      "plane", [&] { first<<<7, block>>>(a, turns), wide<<<5, 96>>>(c), second<<<6, block>>>(b, turns); },
      [&] { require(plane::launch({7, {a, turns}}, {5, {c}}, {6, {b, turns}}), "plane"); });
  return good ? 0 : 1;
}
