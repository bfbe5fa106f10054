// Parameters that fit for each kernel are refused where they exceed 32764 bytes together.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:filter %s:filter --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:filter --block 64 -o %t/out.cu
struct Filter {
  float weights[4500];
};

// CHECK: refused: the parameters of all kernels together exceed the limit: 363{{[0-9]+}} bytes of 32764
// CHECK-SAME: [ParameterSpace]
// CHECK: note: pass large structures by pointer
__global__ void filter(Filter by, float *data) { data[threadIdx.x] *= by.weights[threadIdx.x]; }
