// A constructor that nobody wrote is no initialiser: the program fills the variable. Else it would be copied, and read as zeros.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:byStructure %s:byVector %s:byArray %s:byShape --block 32 --block 32 --block 32 --block 32 \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:initialised %s:byStructure --block 32 --block 32 -o %t/out.cu -- -rdc=true
// CHECK: error: byStructure: {{.*}}: filter, vector, filters, shape [HostSharedNeedsRdc]
struct Filter {
  float w[4];
};
__constant__ Filter filter;
__constant__ float4 vector;
__constant__ Filter filters[2];
__constant__ dim3 shape;
__constant__ Filter known = {{1, 2, 3, 4}};
__global__ void byStructure(float *out) { out[threadIdx.x] = filter.w[threadIdx.x % 4]; }
__global__ void byVector(float *out) { out[threadIdx.x] = vector.x; }
__global__ void byArray(float *out) { out[threadIdx.x] = filters[1].w[threadIdx.x % 4]; }
__global__ void byShape(float *out) { out[threadIdx.x] = shape.x; }
__global__ void initialised(float *out) { out[threadIdx.x] = known.w[threadIdx.x % 4]; }
