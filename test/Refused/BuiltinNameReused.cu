// A built-in's name used for something else is refused only beside the built-in itself.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:member --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MEMBER '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:local --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=LOCAL '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:not_beside --block 64 -o %t/out.cu
struct Sizes {
  dim3 gridDim, blockDim;
};

__global__ void member(float *data, Sizes sizes) {
  // MEMBER: {{[^ ]*}}:[[#@LINE+3]]:{{[0-9]+}}: error: member: a built-in's name is used for something else beside the
  // MEMBER-SAME: built-in: blockDim [BuiltinNameReused]
  // MEMBER: note: rename it
  data[blockIdx.x * blockDim.x + threadIdx.x] = sizes.blockDim.x;
}

__global__ void local(float *data, int size) {
  const int i = threadIdx.x;
  for (int part = 0; part < 2; ++part) {
    // LOCAL: {{[^ ]*}}:[[#@LINE+3]]:15: error: local: a built-in's name is used for something else beside the
    // LOCAL-SAME: built-in: threadIdx [BuiltinNameReused]
    // LOCAL: note: rename it
    const int threadIdx = part * size + i;
    data[threadIdx] = 0;
  }
}

__global__ void not_beside(float *data, Sizes sizes) { data[threadIdx.x] = sizes.blockDim.x; }
