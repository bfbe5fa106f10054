// Static shared memory of all partitions above 48 KB is refused; 48 KB are not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:sort --block 128 --copies 3 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:sort --block 128 --copies 2 -o %t/out.cu
// RUN: %cufuse fuse %s:reverse %s:reverse --block 128 --block 128 -o %t/out.cu
// CHECK: refused: the static shared memory of all partitions exceeds 48 KB: 61440 bytes [StaticSharedMemory]
// CHECK: note: use fewer copies, or dynamic shared memory
__global__ void sort(float *data) {
  __shared__ float tile[5 * 1024];
  for (int i = threadIdx.x; i < 5 * 1024; i += blockDim.x)
    tile[i] = data[i];
  __syncthreads();
  data[threadIdx.x] = tile[5 * 1024 - 1 - threadIdx.x];
}

__global__ void reverse(float *data) {
  __shared__ float tile[6 * 1024];
  for (int i = threadIdx.x; i < 6 * 1024; i += blockDim.x)
    tile[i] = data[i];
  __syncthreads();
  data[threadIdx.x] = tile[6 * 1024 - 1 - threadIdx.x];
}
