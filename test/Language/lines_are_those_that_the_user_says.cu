// A #line of the user's holds in the output, too: __LINE__ is what it was.
// RUN: %cufuse fuse %s:numbered %s:plain --block 64 --block 64 -o %t.cu
// RUN: FileCheck %s --input-file=%t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90 -cubin -o %t.cubin %t.cu
// RUN: %exits 1 %cufuse fuse %s:numbered %s:plain --block 64 --block 64 -o %t.without.cu --no-line-directives 2>&1 | \
// RUN:   FileCheck %s --check-prefix=WITHOUT '--implicit-check-not={{(error|refused):}}'
// CHECK: #line 100 "generated.y"
// CHECK-NEXT: __device__ int line() { return __LINE__; }
// CHECK-NEXT: __device__ __forceinline__ void numbered(
__global__ void plain(int *x) { x[threadIdx.x] = __LINE__; }
#line 100 "generated.y"
__device__ int line() { return __LINE__; }
__global__ void numbered(int *x) {
  static_assert(__LINE__ == 102, "");
  x[threadIdx.x] = line() + __LINE__;
}
// WITHOUT: error: without #line, the output is no valid program: static assertion failed
// WITHOUT: note: leave --no-line-directives out: the kernels' text depends on its lines
