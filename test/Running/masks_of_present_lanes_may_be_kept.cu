// What `__activemask()` says where lanes have parted names the lanes that came there: who waits for these, waits for
// nobody who went another way, however far the mask is carried.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:sum_kept %t/kernels.cu:count_in_loop %t/kernels.cu:matched %t/kernels.cu:grouped \
// RUN:   --block 128 --block 64 --block 96 --block 160 --grid-policy stride --name fused -o %t/fused.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/fused.cu

//--- kernels.cu
#include <cooperative_groups.h>

__global__ void sum_kept(const int *in, int *out, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const unsigned mask = __activemask();
    int value = in[i];
#pragma unroll 1
    for (int step = steps; step > 0; step /= 2)
      value += __shfl_down_sync(mask, value, step);
    if (threadIdx.x % 32 == 0)
      out[i / 32] = value + __popc(mask);
  }
}

__global__ void count_in_loop(const int *in, int *out, int n, int steps) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const unsigned mask = __activemask();
    int value = in[i];
#pragma unroll 1
    for (int step = steps; step > 0; step /= 2)
      value = max(value, __shfl_xor_sync(mask, value, step));
    const bool isOdd = in[i] % 2;
    const unsigned odd = __ballot_sync(__activemask(), isOdd);
    if (isOdd) {
      const int leader = __ffs(odd) - 1;
      int count = 0;
      if (threadIdx.x % 32 == leader)
        count = __popc(odd);
      out[i] = value + __shfl_sync(odd, count, leader);
    }
  }
}

__global__ void matched(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned same = __match_any_sync(__activemask(), in[i] % 3);
  const int leader = __ffs(same) - 1;
  int number = 0;
  if (threadIdx.x % 32 == leader)
    number = i * 64 + __popc(same);
  out[i] = __shfl_sync(same, number, leader);
}

__global__ void grouped(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 2) {
    const auto group = cooperative_groups::coalesced_threads();
    out[i] = group.shfl(i, 0) * 64 + group.size();
  }
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "fused.h"

int main() {
  Array<int> in(4096), a(4096), b(4096), c(4096), d(4096);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c), both.output("d", d);
  const bool good = both.same(
      "stride",
      [&] {
        sum_kept<<<5, 128>>>(in, a, 600, 16);
        count_in_loop<<<6, 64>>>(in, b, 1000, 16);
        matched<<<11, 96>>>(in, c, 1030);
        grouped<<<9, 160>>>(in, d, 1400);
      },
      [&] { require(fused::launch({5, {in, a, 600, 16}}, {6, {in, b, 1000, 16}}, {11, {in, c, 1030}},
                              {9, {in, d, 1400}}), "fused"); });
  return good ? 0 : 1;
}
