// Functions that Clang's headers lack or have as macros, and placement new without a header.
// RUN: %cufuse fuse %s:hyperbolic %s:placed %s:profiled --block 64 --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %cufuse check %t.cu
__global__ void hyperbolic(float *o) { o[threadIdx.x] = __tanhf(o[threadIdx.x]); }
__global__ void placed(int *o, int n) {
  alignas(int) char bytes[16] = {};
  struct Value {
    int v;
  };
  o[threadIdx.x] = (new (bytes) Value{n})->v;
}
__global__ void profiled(int *o) {
  __prof_trigger(0);
  o[threadIdx.x] = 1;
}
