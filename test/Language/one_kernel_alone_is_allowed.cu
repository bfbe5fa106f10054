// One constituent, with one that reads no built-in but threadIdx among them, in both grid policies.
// RUN: %cufuse fuse %s:square --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %cufuse fuse %s:square --block 64 --grid-policy stride -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %cufuse fuse %s:nothing --block 1 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %cufuse fuse %s:shared --block 33 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

__global__ void square(float *data) { data[threadIdx.x] *= data[threadIdx.x]; }
__global__ void nothing() {}
__global__ void shared(float *data, int n) {
  __shared__ float tile[33];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? data[i] : 0;
  __syncthreads();
  if (i < n)
    data[i] = tile[32 - threadIdx.x];
}
