// Asynchronous copies may come at once or with the wait for their group, and those of other threads are seen after a
// barrier: what reads earlier differs between seeds. Bulk copies complete the phase that expects their bytes.
// RUN: %emulate -o %t %s
// RUN: %t awaited && env EMULATED_SEED=2 %t awaited && env EMULATED_SEED=3 %t awaited
// RUN: %exits 1 %t notAwaited
// RUN: %exits 1 %t oneGroupShort
// RUN: %t bulk && env EMULATED_SEED=2 %t bulk
// RUN: %exits 87 %t bytesMissing 2>&1 | %FileCheck %s

// CHECK: emulated: deadlock
// CHECK: thread 1 polls mbarrier.try_wait.parity at shared address

#include "Inputs/check.h"

#include <cuda_pipeline.h>

template <int Waits> __device__ void copies(int *right) {
  __shared__ int tile[4][64];
  for (int i = 0; i < 4; ++i)
    right[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    __pipeline_memcpy_async(&tile[i][threadIdx.x], &right[threadIdx.x], 4);
    __pipeline_commit();
  }
  bool good = true;
  if (Waits == 2)
    __pipeline_wait_prior(2);
  else if (Waits == 1)
    __pipeline_wait_prior(3);
  for (int i = 0; i < 2; ++i)
    good &= tile[i][threadIdx.x] == static_cast<int>(threadIdx.x);
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int i = 0; i < 4; ++i)
    good &= tile[i][63 - threadIdx.x] == static_cast<int>(63 - threadIdx.x);
  right[threadIdx.x] = good;
}
__global__ void awaited(int *right) { copies<2>(right); }
__global__ void notAwaited(int *right) { copies<0>(right); }
__global__ void oneGroupShort(int *right) { copies<1>(right); }

template <unsigned Bytes> __device__ void copiesBulk(int *right) {
  __shared__ alignas(16) int tile[64];
  __shared__ unsigned long long object;
  const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&object));
  right[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(barrier) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(Bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(tile))),
                 "l"(right), "r"(256), "r"(barrier)
                 : "memory");
  } else {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
  }
  asm volatile(
      "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0; @!done bra again; }" ::"r"(
          barrier)
      : "memory");
  const bool good = tile[63 - threadIdx.x] == static_cast<int>(63 - threadIdx.x);
  __syncthreads();
  right[threadIdx.x] = good;
}
__global__ void bulk(int *right) { copiesBulk<256>(right); }
__global__ void bytesMissing(int *right) { copiesBulk<272>(right); }

int main(int argc, char **argv) {
  CASE(awaited, 64)
  CASE(notAwaited, 64)
  CASE(oneGroupShort, 64)
  CASE(bulk, 64)
  CASE(bytesMissing, 64)
  return 2;
}
