// By name, by number, with push and pop, as an operator, and for the members of an argument's class; they hold for the
// kernel's text alone.
// RUN: split-file %s %t
// RUN: cd %t && %nvcc -Werror all-warnings -arch=sm_90a -cubin -o k.cubin k.cu
// RUN: cd %t && %cufuse fuse k.cu:named k.cu:numbered k.cu:'made<int>' plain.cu:plain --block 64 --block 64 --block 64 --block 64 \
// RUN:   --name out -o out.cu
// RUN: cd %t && %nvcc -Werror all-warnings -arch=sm_90a -I. -cubin -o out.cubin out.cu
// RUN: %FileCheck %s < %t/out.cu
// CHECK: #pragma nv_diagnostic push
// CHECK: #pragma nv_diag_suppress static_var_with_dynamic_init
// CHECK: void named
// CHECK: #pragma nv_diagnostic pop
// CHECK: #pragma nv_diag_suppress 177
// CHECK: void numbered
// CHECK: #pragma nv_diagnostic pop
// CHECK: namespace cufuse_plain {
// CHECK-NOT: #pragma nv_diag
// CHECK: void plain

//--- k.cu
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void named(int *o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0)
    init(&bar, blockDim.x);
  __syncthreads();
  bar.arrive_and_wait();
  o[threadIdx.x] = 1;
}
#pragma nv_diagnostic push
_Pragma("nv_diag_suppress 177")
struct Options {
  int by;
  __device__ int of(int x) const {
    int unused = 3;
    return x * by;
  }
};
__global__ void numbered(int *o, Options options) {
  int unused = 4;
  o[threadIdx.x] = options.of(2);
}
template <typename T> __global__ void made(T *o) {
  T unused = 4;
  o[threadIdx.x] = 2;
}
template __global__ void made<int>(int *);
#pragma nv_diagnostic pop

//--- plain.cu
__global__ void plain(int *o) { o[threadIdx.x] = 2; }
