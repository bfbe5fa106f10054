// nvcc declares `assert` without an include, finds headers of GCC itself, and ignores `#pragma unroll` without a loop.
// RUN: %cufuse fuse %s:checked %s:tabled --block 64 --block 32 -o %t.cu
// RUN: FileCheck %s --input-file=%t.cu
// RUN: %nvcc -arch=sm_90a -cubin -o %t.cubin %t.cu
// CHECK: assert(n > 0);
// CHECK: #pragma unroll
// CHECK-NEXT: data[threadIdx.x] += n;
__global__ void checked(float *data, int n) {
  assert(n > 0);
#pragma unroll
  data[threadIdx.x] += n;
}

#include <sanitizer/asan_interface.h>

__global__ void tabled(float *data) { data[threadIdx.x] *= 2; }

void poison(void *memory) { __asan_poison_memory_region(memory, 8); }
