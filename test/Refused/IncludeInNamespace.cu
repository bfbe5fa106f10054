// A file included inside a namespace is refused; one included inside a declaration is part of its text.
// RUN: rm -rf %t && mkdir %t
// RUN: split-file %s %t.files
// RUN: %exits 1 %cufuse fuse %t.files/namespace.cu:apply --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %t.files/initializer.cu:apply --block 64 -o %t/out.cu

// CHECK: refused: {{[^ ]*}}namespace.cu:2:{{[0-9]+}}: apply: a file is included inside a namespace: weight.inc in table
// CHECK-SAME: [IncludeInNamespace]; include it at file scope

//--- namespace.cu
namespace table {
#include "weight.inc"
} // namespace table
__global__ void apply(float *data) { data[threadIdx.x] *= table::weight(threadIdx.x); }

//--- weight.inc
__device__ inline float weight(int i) { return 1.0f / (1 + i); }

//--- initializer.cu
__constant__ const float weights[] = {
#include "weights.inc"
};
__global__ void apply(float *data) { data[threadIdx.x] *= weights[threadIdx.x % 4]; }

//--- weights.inc
1, 2, 4, 8
