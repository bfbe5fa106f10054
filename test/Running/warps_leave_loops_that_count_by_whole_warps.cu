// A loop from the thread's number on, by whole warps, up to whole warps: lanes of a warp leave it together, and may take the next
// block. Warps leave in different turns.
// RUN: split-file %s %t
// RUN: cd %t && %cufuse fuse kernels.cu:rows kernels.cu:nested --block 96 --block 128 --grid-policy stride --name stride -o stride.cu
// RUN: cd %t && %cufuse fuse kernels.cu:rows kernels.cu:twice --link rows.out=twice.in --cooperative --block 96 --block 64 \
// RUN:   --name grid -o grid.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/stride.cu %t/grid.cu
// Lanes leave alone where the step or the beginning is of no whole warps, and where they come from different turns.
// DEFINE: %{one} =
// DEFINE: %{refused} = %exits 1 %cufuse fuse %t/kernels.cu:%{one} --block 128 --grid-policy stride -o %t/none.cu 2>&1 | FileCheck %s
// REDEFINE: %{one} = uneven
// RUN: %{refused}
// REDEFINE: %{one} = apart
// RUN: %{refused}
// REDEFINE: %{one} = behind
// RUN: %{refused}
// CHECK: error: lanes may leave a block before a warp primitive, and would rejoin for the next block: {{uneven|apart|behind}}: this branch skips __shfl_xor_sync
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:rows --block 80 --grid-policy stride -o %t/none.cu 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: rows of 80 threads are no whole warps

//--- kernels.cu
__device__ int warp_sum(int value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

// 1024 numbers for each block.
__global__ void rows(const int *in, int *out) {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
    const int sum = warp_sum(in[blockIdx.x * 1024 + i]);
    if (threadIdx.x % 32 == 0)
      out[blockIdx.x * 32 + i / 32] = sum;
  }
}
__global__ void nested(const int *in, int *out) {
  for (unsigned first = threadIdx.x; first < 256; first += blockDim.x)
    for (unsigned i = first; i < 960; i += 256) {
      const int sum = warp_sum(in[blockIdx.x * 1024 + i] * 3);
      if (threadIdx.x % 32 == 0)
        out[blockIdx.x * 32 + i / 32] = sum;
    }
}
__global__ void twice(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[n - 1 - i];
}

__global__ void uneven(const int *in, int *out) {
  for (int i = threadIdx.x; i < 1024; i += 48)
    out[blockIdx.x * 1024 + i] = warp_sum(in[i]);
}
__global__ void apart(const int *in, int *out) {
  for (int i = threadIdx.x * 2; i < 1024; i += blockDim.x)
    out[blockIdx.x * 1024 + i] = warp_sum(in[i]);
}
__global__ void behind(const int *in, int *out) {
  int i = threadIdx.x;
  for (; i < 1024; i += 128)
    if (in[i] % 7 == 0)
      break;
  if (i < 512)
    out[blockIdx.x * 128 + threadIdx.x] = warp_sum(in[i]);
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "grid.h"
#include "stride.h"

int main() {
  constexpr int blocks = 60, n = blocks * 1024;
  Array<int> in(n), a(n), b(n);
  Both both;
  both.output("a", a), both.output("b", b);
  bool good = both.same(
      "stride", [&] { rows<<<blocks, 96>>>(in, a), nested<<<blocks, 128>>>(in, b); },
      [&] { require(stride::launch({blocks, {in, a}}, {blocks, {in, b}}), "stride"); });
  good &= both.same(
      "grid", [&] { rows<<<blocks, 96>>>(in, a), twice<<<blocks / 2, 64>>>(a, b, blocks * 32); },
      [&] {
        grid::rows::Launch first{};
        grid::twice::Launch second{};
        first.grid = blocks, first.arguments = {in, a};
        second.grid = blocks / 2, second.arguments.out = b, second.arguments.n = blocks * 32;
        require(grid::launch(first, second), "grid");
      });
  return good ? 0 : 1;
}
