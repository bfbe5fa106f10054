// Kernels by row in blocks of two dimensions are refused: threads with the same threadIdx.x would have the same elements.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:twice %s:plusOne --block 32x4 --link twice.out=plusOne.in \
// RUN:   --link twice.columns=plusOne.columns -o %t/out.cu 2>&1 | FileCheck %s
// RUN: ls -A %t | count 0

// CHECK: {{[^ ]*}}:[[#@LINE+3]]:17: error: kernels that are fused by row need blocks of one dimension:
// CHECK-SAME: twice has blocks of 32x4 [RowBlock]
// CHECK: note: use --block 256 or the like
__global__ void twice(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = 2 * in[blockIdx.x * columns + i];
}

__global__ void plusOne(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] + 1;
}
