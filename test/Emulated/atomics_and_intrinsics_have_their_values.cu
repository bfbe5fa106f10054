// Atomics return the old value and lose nothing; intrinsics and small floats agree with what the CUDA manual says.
// RUN: %emulate -o %t %s
// RUN: %t right && env EMULATED_SEED=2 %t right && %t values
// RUN: %exits 1 %t lost

#include "Inputs/check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void right(int *right) {
  __shared__ unsigned sum, biggest, turn, lock, order[256];
  __shared__ float total;
  __shared__ unsigned long long wide;
  if (threadIdx.x == 0) {
    sum = biggest = turn = lock = 0;
    total = 0;
    wide = 0;
  }
  __syncthreads();
  order[threadIdx.x] = atomicAdd(&sum, 1u);
  atomicMax(&biggest, threadIdx.x);
  atomicAdd(&total, 0.5f);
  atomicOr(&wide, 1ull << threadIdx.x % 64);
  while (atomicCAS(&lock, 0u, 1u) != 0)
    ;
  const unsigned seen = turn;
  __threadfence_block();
  turn = seen + 1;
  atomicExch(&lock, 0u);
  __syncthreads();
  unsigned first = 0;
  for (unsigned i = 0; i < 256; ++i)
    first += order[i] == threadIdx.x;
  right[threadIdx.x] = first == 1 && sum == 256 && biggest == 255 && total == 128 && wide == ~0ull && turn == 256;
}
// Not atomic: two threads read the same old value.
__global__ void lost(int *right) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  const unsigned old = sum;
  __threadfence_block();
  sum = old + 1;
  __syncthreads();
  right[threadIdx.x] = sum == 256;
}
__global__ void values(int *right) {
  bool good = __popc(0xf0f0u) == 8 && __clz(1) == 31 && __clz(0) == 32 && __ffs(8) == 4 && __brev(1) == 0x80000000u;
  good &= __funnelshift_l(0x80000000u, 1, 1) == 3 && __funnelshift_r(0, 1, 1) == 0x80000000u;
  good &= __byte_perm(0x33221100, 0x77665544, 0x7140) == 0x77114400 && __byte_perm(0x80, 0, 0x8888) == 0xffffffffu;
  good &=
      __umulhi(0x80000000u, 6) == 3 && __mulhi(-2, 5) == -1 && max(-1, 2u) == 0xffffffffu && min(1.5f, 2.0f) == 1.5f;
  good &= rsqrtf(4.0f) == 0.5f && __fdividef(1, 4) == 0.25f && __float_as_uint(1.0f) == 0x3f800000u;
  const float steps[] = {0,        1,        -2,         65504,      65519,      65520,
                         0x1p-24f, 0x1p-25f, 0x1.8p-25f, 1.0004883f, 1.0014648f, 0x1.004p-14f};
  const unsigned short bits[] = {0, 0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 1, 0, 1, 0x3c00, 0x3c02, 0x0401};
  for (int i = 0; i < 12; ++i)
    good &= __float2half(steps[i]).bits == bits[i];
  for (unsigned i = 0; i < 0x7c00; ++i)
    good &= __float2half(__half2float(__ushort_as_half(i))).bits == i;
  good &= __float2bfloat16(1.00390625f).bits == 0x3f80 && __float2bfloat16(1.01171875f).bits == 0x3f82;
  good &= float(__hfma(__half(2.0f), __half(3.0f), __half(0.5f))) == 6.5f;
  right[threadIdx.x] = good;
}

int main(int argc, char **argv) {
  CASE(right, 256)
  CASE(lost, 256)
  CASE(values, 1)
  return 2;
}
