// A warp counts 32, also the last one of a block of 100; the block's other threads are not waited for. A count too
// many is a deadlock, one that is no number of warps an error.
// RUN: %emulate -o %t %s
// RUN: %t right && env EMULATED_SEED=2 %t right && %t halves
// RUN: %exits 87 %t tooMany 2>&1 | %FileCheck %s --check-prefix=MANY
// RUN: %exits 87 %t noWarps 2>&1 | %FileCheck %s --check-prefix=WARPS
// RUN: %exits 1 %t tooFew

// MANY: emulated: deadlock in block (0, 0, 0) of grid (1, 1, 1), block shape (100, 1, 1)
// MANY-NEXT: barrier 3 (sync), expected 160, arrived 128; waiting: threads 0-99{{$}}
// WARPS: emulated: barrier 3: count 100 is not a multiple of 32

#include "Inputs/check.h"

template <unsigned Id, unsigned Count> __device__ void sync() {
  asm volatile("barrier.cta.sync %0, %1;" ::"n"(Id), "n"(Count) : "memory");
}

template <unsigned Count> __device__ void reversed(int *right) {
  __shared__ unsigned values[100];
  values[threadIdx.x] = threadIdx.x;
  sync<3, Count>();
  right[threadIdx.x] = values[99 - threadIdx.x] == 99 - threadIdx.x;
}
__global__ void right(int *right) { reversed<128>(right); }
__global__ void tooMany(int *right) { reversed<160>(right); }
__global__ void tooFew(int *right) { reversed<32>(right); }
__global__ void noWarps(int *right) { reversed<100>(right); }

// Each half waits for itself alone, and may do so more often than the other.
__global__ void halves(int *right) {
  __shared__ unsigned values[128];
  unsigned wrong = 0;
  for (unsigned i = 0; i < (threadIdx.x < 64 ? 9 : 4); ++i) {
    values[threadIdx.x] = i + threadIdx.x;
    threadIdx.x < 64 ? sync<1, 64>() : sync<2, 64>();
    wrong |= values[threadIdx.x ^ 63] ^ (i + (threadIdx.x ^ 63));
    threadIdx.x < 64 ? sync<1, 64>() : sync<2, 64>();
  }
  right[threadIdx.x] = wrong == 0;
}

int main(int argc, char **argv) {
  CASE(right, 100)
  CASE(tooMany, 100)
  CASE(tooFew, 100)
  CASE(noWarps, 100)
  CASE(halves, 128)
  return 2;
}
