// In a function that is not inlined, ptxas does not know that the lanes of a warp are together: some come late to the
// barrier, and none passes before them.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:rotated %t/kernels.cu:voted --block 128 --block 96 --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:rotated %t/kernels.cu:voted --block 128 --block 44 --grid-policy stride --copies 2 \
// RUN:   --copies 3 --name stride -o %t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:rotated %t/kernels.cu:voted --block 96 --block 128 --geometry threads --name turns \
// RUN:   -o %t/turns.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/turns.cu

//--- kernels.cu
// Lanes are as late as their number says.
__device__ __noinline__ int late(int lane, int value) {
  for (int i = 0; i < (lane == 31 ? 2000 : lane == 3 ? 300 : lane % 5); ++i)
    value = value * 1664525 + 1013904223;
  return value;
}

__device__ __noinline__ int neighbour(int *values, int value) {
  if (threadIdx.x % 32 == 31 || threadIdx.x % 32 == 3)
    value = late(threadIdx.x % 32, value);
  values[threadIdx.x] = value;
  __syncthreads();
  const int other = values[(threadIdx.x + 31) % blockDim.x];
  if (threadIdx.x % 7 == 2)
    value = late(31, other);
  __syncthreads();
  return value ^ other;
}

__device__ __noinline__ int votes(int value) {
  if (threadIdx.x % 32 > 20)
    value = late(31, value);
  const int count = __syncthreads_count(value & 1);
  if (threadIdx.x % 32 < 9)
    value = late(3, value);
  return count * 4 + __syncthreads_or((value & 1023) == 5) * 2 + __syncthreads_and((value & 1023) != 7);
}

__global__ void rotated(const int *in, int *out) {
  __shared__ int values[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[i];
  for (int round = 0; round < 5; ++round)
    value += neighbour(values, value);
  out[i] = value;
}

__global__ void voted(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[i];
  for (int round = 0; round < 5; ++round)
    value = value * 31 + votes(value);
  out[i] = value;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "match.h"
#include "stride.h"
#include "turns.h"

int main() {
  Array<int> in(64 * 128), a(64 * 128), b(64 * 128);
  Both both;
  both.output("a", a), both.output("b", b);
  bool good = true;
  auto unfused = [&](int first, int second) {
    return [&, first, second] {
      rotated<<<60, first>>>(in, a);
      voted<<<64, second>>>(in, b);
    };
  };
  good &= both.same("match", unfused(128, 96), [&] { require(match::launch({60, {in, a}}, {64, {in, b}}), "match"); });
  good &= both.same("stride", unfused(128, 44), [&] { require(stride::launch({60, {in, a}}, {64, {in, b}}), "stride"); });
  good &= both.same("turns", unfused(96, 128), [&] { require(turns::launch({60, {in, a}}, {64, {in, b}}), "turns"); });
  return good ? 0 : 1;
}
