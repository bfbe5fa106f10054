// Waiting at one barrier with two counts, or with and without one, or for a reduction and for none, is an error.
// RUN: %emulate -o %t %s
// RUN: %t arrivals
// RUN: env EMULATED_SEED=2 %t arrivals
// RUN: %exits 87 %t counts 2>&1 | %FileCheck %s --check-prefix=COUNTS
// RUN: %exits 87 %t withAndWithout 2>&1 | %FileCheck %s --check-prefix=WITHOUT
// RUN: %exits 87 %t kinds 2>&1 | %FileCheck %s --check-prefix=KINDS

// COUNTS: emulated: barrier 1 is in use with count {{64|96}} and used with count {{64|96}}
// WITHOUT: emulated: barrier 0 is in use with count {{0|64}} and used with count {{0|64}}
// KINDS: emulated: barrier 2 is in use as {{sync|red.or}} and used as {{sync|red.or}}

#include "Inputs/check.h"

__global__ void counts(int *) {
  if (threadIdx.x < 32)
    asm volatile("barrier.cta.sync 1, 64;" ::: "memory");
  else
    asm volatile("barrier.cta.sync 1, 96;" ::: "memory");
}
__global__ void withAndWithout(int *) {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    asm volatile("bar.sync 0, 64;" ::: "memory");
}
__global__ void kinds(int *) {
  if (threadIdx.x < 32)
    asm volatile("barrier.cta.sync 2, 64;" ::: "memory");
  else
    asm volatile("{ .reg .pred p; setp.eq.s32 p, 0, 0; barrier.cta.red.or.pred p, 2, 64, p; }" ::: "memory");
}
// The first warp announces its value without waiting; the second waits for it. Then the other way.
__global__ void arrivals(int *right) {
  __shared__ unsigned values[64];
  if (threadIdx.x < 32) {
    values[threadIdx.x] = threadIdx.x;
    asm volatile("barrier.cta.arrive 1, 64;" ::: "memory");
    asm volatile("barrier.cta.sync 2, 64;" ::: "memory");
    right[threadIdx.x] = values[threadIdx.x + 32] == threadIdx.x;
  } else {
    asm volatile("barrier.cta.sync 1, 64;" ::: "memory");
    values[threadIdx.x] = values[threadIdx.x - 32];
    right[threadIdx.x] = values[threadIdx.x] == threadIdx.x - 32;
    asm volatile("barrier.cta.arrive 2, 64;" ::: "memory");
  }
}

int main(int argc, char **argv) {
  CASE(counts, 64)
  CASE(withAndWithout, 64)
  CASE(kinds, 64)
  CASE(arrivals, 64)
  return 2;
}
