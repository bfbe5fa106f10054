// Static and dynamic shared memory, copies, helpers that read blockIdx, warp primitives, in the stride policy.
// RUN: %cufuse fuse %s:tiles %s:warpSums %s:viaHelper --block 64 --block 64 --block 64 --copies tiles=2 --grid-policy stride -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -ptx -o %t.ptx %t.cu
// RUN: %FileCheck %s --check-prefix=PTX < %t.ptx

// CHECK: for (unsigned block = blockIdx.x * 2 + 0; block < {{.*}}; block += gridDim.x * 2) {
// CHECK: for (unsigned block = blockIdx.x * 2 + 1; block < {{.*}}; block += gridDim.x * 2) {
// CHECK: __syncwarp(); // lanes start the next block together
// CHECK: viaHelper::cufuse_partition::enterBlock(
// PTX-NOT: bar.sync

__device__ unsigned at() { return blockIdx.x * blockDim.x + threadIdx.x; }
__global__ void tiles(float *data) {
  extern __shared__ float tile[];
  __shared__ float edge[2];
  if (threadIdx.x < 2)
    edge[threadIdx.x] = data[blockIdx.y];
  tile[threadIdx.x] = data[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  data[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x ^ 1] + edge[threadIdx.x & 1];
}
__global__ void warpSums(float *data) {
  float sum = data[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = 16; offset; offset /= 2)
    sum += __shfl_xor_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0)
    data[blockIdx.x] = sum;
}
__global__ void viaHelper(float *data, unsigned n) {
  if (at() < n)
    data[at()] += 1;
}
