// Dynamic shared memory at file scope is refused; inside the kernel it is not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:reverse --block 64 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:reverse_inside --block 64 -o %t/out.cu
// CHECK: refused: {{[^ ]*}}:[[#@LINE+2]]:{{[0-9]+}}: reverse: dynamic shared memory is declared at file scope: tile
// CHECK-SAME: [FileScopeDynamicShared]; declare it inside the kernel
extern __shared__ float tile[];

__global__ void reverse(float *data) {
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverse_inside(float *data) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
