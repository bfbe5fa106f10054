// gcc ignores a -I, and CPATH, for a folder that is one of the system's: what stands before it includes its headers next.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:k --block 64 -o %t/o.cu -- -I/usr/include
// RUN: env CPATH=/usr/include %cufuse fuse %s:k --block 64 -o %t/o.cu
#include <cmath>

__global__ void k(float *x) { x[threadIdx.x] = std::sqrt(x[threadIdx.x]); }
