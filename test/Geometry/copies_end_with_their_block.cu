// A copy that nobody waits for would arrive in the memory of the block that the threads play next.
// RUN: %cufuse fuse %s:ahead %s:plain --block 128 --block 128 --grid-policy stride -o %t.cu
// RUN: FileCheck %s --implicit-check-not='finishCopies()' --input-file=%t.cu
// RUN: %cufuse fuse %s:ahead %s:plain --block 128 --block 128 --geometry threads -o %t.cu
// RUN: FileCheck %s --implicit-check-not='finishCopies()' --input-file=%t.cu
// RUN: %cufuse fuse %s:ahead %s:plain --block 128 --block 128 -o %t.cu
// RUN: FileCheck %s --check-prefix=ONCE --input-file=%t.cu
// CHECK: void finishCopies() {
// CHECK-NEXT: #if __CUDA_ARCH__ >= 800
// CHECK-NEXT: asm volatile("cp.async.wait_all;" ::: "memory");
// CHECK: ::ahead(
// CHECK: ::cufuse_partition::finishCopies(); // which would land in what the next block uses
// CHECK: ::plain(
// ONCE-NOT: finishCopies
#include <cuda_runtime.h>

__global__ void ahead(const int *in, int *out) {
  __shared__ int stages[2][128];
  const auto fetch = [&](unsigned stage) {
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(&stages[stage % 2][threadIdx.x]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + (blockIdx.x + stage) * 128 + threadIdx.x)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  fetch(0);
  for (unsigned stage = 0; stage < 3; ++stage) {
    fetch(stage + 1);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    out[(blockIdx.x + stage) * 128 + threadIdx.x] = stages[stage % 2][127 - threadIdx.x];
    __syncthreads();
  }
}
__global__ void plain(const int *in, int *out) { out[blockIdx.x * 128 + threadIdx.x] = in[threadIdx.x]; }
