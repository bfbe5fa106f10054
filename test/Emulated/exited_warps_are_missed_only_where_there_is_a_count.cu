// A warp of which every thread has exited: __syncthreads() does not wait for it, a count does. One of which some
// threads have exited still arrives.
// RUN: %emulate -o %t %s
// RUN: %t plain && env EMULATED_SEED=2 %t plain && %t partOfAWarp && env EMULATED_SEED=2 %t partOfAWarp
// RUN: %exits 87 %t counted 2>&1 | %FileCheck %s
// RUN: env EMULATED_SEED=2 %exits 87 %t counted 2>&1 | %FileCheck %s

// CHECK: emulated: deadlock
// CHECK-NEXT: barrier 1 (sync), expected 96, arrived 64; waiting: threads 0-31, 64-95{{$}}
// CHECK-NEXT: exited: threads 32-63{{$}}

#include "Inputs/check.h"

__global__ void plain(int *right) {
  __shared__ unsigned values[96];
  values[threadIdx.x] = threadIdx.x;
  right[threadIdx.x] = 1;
  if (threadIdx.x / 32 == 1)
    return;
  __syncthreads();
  right[threadIdx.x] = values[95 - threadIdx.x] == 95 - threadIdx.x;
}
__device__ void countedWithout(int *right, unsigned first, unsigned last) {
  right[threadIdx.x] = 1;
  if (threadIdx.x >= first && threadIdx.x < last)
    return;
  asm volatile("bar.sync 1, 96;" ::: "memory");
}
__global__ void counted(int *right) { countedWithout(right, 32, 64); }
__global__ void partOfAWarp(int *right) { countedWithout(right, 32, 63); }

int main(int argc, char **argv) {
  CASE(plain, 96)
  CASE(counted, 96)
  CASE(partOfAWarp, 96)
  return 2;
}
