// A function that a kernel in turn calls has that kernel's dynamic shared memory, which begins where the block's does.
// RUN: %cufuse fuse %s:make %s:sum --block 256 --link make.mid=sum.mid --distinct -o %t.cu 2>&1 | FileCheck %s
// CHECK: In turn, a block its part of every kernel: make, then sum
__device__ float reduceAll(float in) {
  extern __shared__ float sdata[];
  sdata[threadIdx.x] = in;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      sdata[threadIdx.x] += sdata[threadIdx.x + s];
    __syncthreads();
  }
  return sdata[0];
}
__global__ void make(float *mid, float x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  mid[i] = x * i;
}
__global__ void sum(const float *mid, float *out) {
  const float all = reduceAll(mid[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = all;
}
