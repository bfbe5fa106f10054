// Fused kernels share one array of dynamic shared memory, which is aligned to 1024 bytes.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:first %s:swizzled --block 128 --block 128 -o %t/out.cu 2>&1 | FileCheck %s
// RUN: %cufuse fuse %s:first %s:tiled --block 128 --block 128 -o %t/out.cu
// CHECK: {{[^ ]*}}:[[#@LINE+10]]:{{[0-9]+}}: error: swizzled: dynamic shared memory is aligned to more than 1024 bytes: 2048 bytes [DynamicAlignment]
// CHECK: note: declare it with 1024 bytes at most, and align inside of it
__global__ void first(int *out) {
  extern __shared__ int words[];
  words[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = words[127 - threadIdx.x];
}

__global__ void swizzled(int *out) {
  extern __shared__ __align__(2048) unsigned char bytes[];
  bytes[threadIdx.x] = 1;
  out[threadIdx.x] = (int)(__cvta_generic_to_shared(bytes) % 2048);
}

__global__ void tiled(int *out) {
  extern __shared__ __align__(1024) unsigned char tile[];
  tile[threadIdx.x] = 1;
  out[threadIdx.x] = (int)(__cvta_generic_to_shared(tile) % 1024);
}
