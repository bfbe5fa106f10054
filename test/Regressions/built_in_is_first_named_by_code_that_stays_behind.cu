// Clang declares a compiler's built-in at its first use in the file; that place is no declaration of the file's.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:fill %s:fill --block 32 --block 64 -o %t/fused.cu
// RUN: %nvcc -std=c++17 -arch=sm_90a -cubin -o %t/fused.cubin %t/fused.cu
#include <math.h>
float lowest() { return -INFINITY; }
__global__ void fill(float *data) { data[threadIdx.x] = -INFINITY; }
