// Clang declares nan static, and defines it nowhere: it is CUDA's.
// RUN: %cufuse fuse %s:missing --block 64 --name fused -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
#include <cmath>
__device__ double none() { return ::nan(""); }
__global__ void missing(double *data, float *other) {
  data[threadIdx.x] = none();
  other[threadIdx.x] = nanf("");
}
