// Dynamic shared memory at file scope becomes a macro: it must not lie in a namespace, and where its name means something
// else, too, no macro of the file may name it.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:reverse_of_namespace --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=SPACE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:reverse_with_parameter --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:reverse %s:reverse_inside --block 64 --block 64 -o %t/out.cu
// SPACE: {{[^ ]*}}:[[#@LINE+5]]:{{[0-9]+}}: error: reverse_of_namespace: dynamic shared memory is declared in a namespace,
// SPACE-SAME: or by a name that is used for something else, too: memory::cells [FileScopeDynamicShared]
// SPACE: note: declare it inside
// SPACE-SAME: the kernel
namespace memory {
extern __shared__ float cells[];
}
extern __shared__ float tile[];

__global__ void reverse_of_namespace(float *data) {
  memory::cells[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = memory::cells[blockDim.x - 1 - threadIdx.x];
}

#define MINE tile[threadIdx.x]
__device__ void swapped(float *tile) { MINE += 1; }
__global__ void reverse_with_parameter(float *data) {
  swapped(tile);
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: reverse_with_parameter: {{.*}}: tile [FileScopeDynamicShared]
  MINE -= 1;
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverse(float *data) {
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverse_inside(float *data) {
  extern __shared__ float cells[];
  cells[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}
