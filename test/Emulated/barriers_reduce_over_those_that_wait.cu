// __syncthreads_count/_and/_or, and their counted forms as cufuse writes them.
// RUN: %emulate -o %t %s
// RUN: %t plain && %t counted && env EMULATED_SEED=2 %t counted
// RUN: %exits 1 %t overAnother

#include "Inputs/check.h"

__global__ void plain(int *right) {
  const int count = __syncthreads_count(threadIdx.x % 3 == 0);
  const int all = __syncthreads_and(threadIdx.x < 100) + 2 * __syncthreads_and(threadIdx.x != 7);
  const int any = __syncthreads_or(threadIdx.x == 99) + 2 * __syncthreads_or(threadIdx.x == 100);
  right[threadIdx.x] = count == 34 && all == 1 && any == 1;
}
template <unsigned Id> __device__ int count(int predicate) {
  int count;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; barrier.cta.red.popc.u32 %0, %2, %3, p; }"
               : "=r"(count)
               : "r"(predicate), "n"(Id), "n"(64)
               : "memory");
  return count;
}
template <unsigned Id> __device__ int all(int predicate) {
  int all;
  asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; barrier.cta.red.and.pred q, %2, %3, p; selp.s32 %0, 1, 0, q; }"
               : "=r"(all)
               : "r"(predicate), "n"(Id), "n"(64)
               : "memory");
  return all;
}
__global__ void counted(int *right) {
  if (threadIdx.x < 64)
    right[threadIdx.x] = count<1>(threadIdx.x < 50) == 50 && all<1>(1) == 1 && all<1>(threadIdx.x != 63) == 0;
  else
    right[threadIdx.x] = count<2>(threadIdx.x >= 100) == 28 && all<2>(0) == 0;
}
// What the first half counts is not what the second expects.
__global__ void overAnother(int *right) { right[threadIdx.x] = count<1>(threadIdx.x < 10) == 10; }

int main(int argc, char **argv) {
  CASE(plain, 100)
  CASE(counted, 128)
  CASE(overAnother, 128)
  return 2;
}
