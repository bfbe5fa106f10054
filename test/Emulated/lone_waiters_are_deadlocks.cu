// Threads that wait for others which never come are reported with the barrier and their numbers: one of a warp, and two
// halves of one warp at two barriers.
// RUN: %emulate -o %t %s
// RUN: %t together
// RUN: %exits 87 %t alone 2>&1 | %FileCheck %s --check-prefix=ALONE
// RUN: %exits 87 %t apart 2>&1 | %FileCheck %s --check-prefix=APART

// ALONE: emulated: deadlock
// ALONE-NEXT: barrier 0 (sync), expected 64 (without a count), arrived 0; waiting: threads 5; of warp 0 only part
// ALONE-NEXT: barrier 4 (sync), expected 64, arrived 32; waiting: threads 0-4, 6-63; of warp 0 only part{{$}}
// APART: emulated: deadlock
// APART-NEXT: barrier 1 (sync), expected 32, arrived 0; waiting: threads 0-15; of warp 0 only part{{$}}
// APART-NEXT: barrier 2 (sync), expected 32, arrived 0; waiting: threads 16-31; of warp 0 only part{{$}}

#include "Inputs/check.h"

__global__ void alone(int *) {
  if (threadIdx.x == 5)
    __syncthreads();
  asm volatile("barrier.cta.sync 4, 64;" ::: "memory");
}
__global__ void apart(int *) {
  if (threadIdx.x < 16)
    asm volatile("barrier.cta.sync 1, 32;" ::: "memory");
  else
    asm volatile("barrier.cta.sync 2, 32;" ::: "memory");
}
// The two places of one barrier are one to a warp.
__global__ void together(int *right) {
  if (threadIdx.x % 3 == 0)
    asm volatile("barrier.cta.sync 1, 64;" ::: "memory");
  else
    asm volatile("barrier.cta.sync 1, 64;" ::: "memory");
  right[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
  CASE(alone, 64)
  CASE(apart, 32)
  CASE(together, 64)
  return 2;
}
