// nvcc declares `assert` without an include, finds headers of GCC itself, ignores `#pragma unroll` without a loop, and
// takes a macro right behind a string for one.
// RUN: %cufuse fuse %s:checked %s:tabled %s:printed --block 64 --block 32 --block 32 -o %t.cu
// RUN: FileCheck %s --input-file=%t.cu
// RUN: %nvcc -arch=sm_90a -cubin -o %t.cubin %t.cu
// CHECK: assert(n > 0);
// CHECK: #pragma unroll
// CHECK-NEXT: data[threadIdx.x] += n;
// CHECK: printf("%"PRIu32, n)
__global__ void checked(float *data, int n) {
  assert(n > 0);
#pragma unroll
  data[threadIdx.x] += n;
}

#include <sanitizer/asan_interface.h>

__global__ void tabled(float *data) { data[threadIdx.x] *= 2; }

#include <inttypes.h>

__device__ void print(uint32_t n) { printf("%"PRIu32, n); }
__global__ void printed(uint32_t n) { print(n); }

void poison(void *memory) { __asan_poison_memory_region(memory, 8); }
