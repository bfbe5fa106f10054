// What cufuse has made is fused with other kernels as any kernel: side by side, with barriers and dynamic shared memory,
// and kernels that follow each other, whose text calls the built-ins otherwise.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:reversed %t/kernels.cu:swapped --block 128 --block 64 --name pair -o %t/pair.cu
// RUN: %cufuse fuse %t/kernels.cu:reversed %t/kernels.cu:counted --block 64 --block 64 --grid-policy stride \
// RUN:   --name loops -o %t/loops.cu
// RUN: %cufuse fuse %t/kernels.cu:scaled %t/kernels.cu:shifted --link scaled.out=shifted.in --link scaled.n=shifted.n \
// RUN:   --dead scaled.out --block 64 --name chain -o %t/chain.cu
// RUN: %cufuse fuse %t/pair.cu:pair::fused %t/chain.cu:chain::fused --block 192 --block 64 --name three -o %t/three.cu
// RUN: %cufuse fuse %t/loops.cu:loops::fused %t/kernels.cu:swapped --block 128 --block 64 --name four -o %t/four.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/three.cu %t/four.cu

//--- kernels.cu
extern __shared__ int tile[];
__global__ void reversed(const int *in, int *out) {
  tile[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void swapped(const int *in, int *out) {
  __shared__ int values[64];
  values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x ^ 33];
}
static __device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }
__global__ void counted(const int *in, int *out) {
  out[number()] = in[number()] + gridDim.x;
}
__global__ void scaled(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 3 * in[i];
}
__global__ void shifted(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 7;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "four.h"
#include "three.h"

int main() {
  Array<int> in(4096), a(4096), b(4096), c(4096), no(4096);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  bool good = true;
  good &= both.same(
      "three",
      [&] {
        reversed<<<9, 128, 512>>>(in, a), swapped<<<11, 64>>>(in, b);
        scaled<<<7, 64>>>(in, no, 430), shifted<<<7, 64>>>(no, c, 430);
      },
      [&] { require(three::launch({11, 512, {in, a, 9, in, b, 11}}, {7, {in, 430, c}}), "three"); });
  good &= both.same(
      "four", [&] { reversed<<<9, 64, 256>>>(in, a), counted<<<5, 64>>>(in, b), swapped<<<11, 64>>>(in, c); },
      [&] { require(four::launch({4, 256, {in, a, 9, in, b, 5}}, {11, {in, c}}), "four"); });
  return good ? 0 : 1;
}
