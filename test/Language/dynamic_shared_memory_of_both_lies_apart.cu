// Both kernels declare dynamic shared memory, under the same name and with different types; one is two-dimensional.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/reverse.cu:reverse %t/transpose.cu:transpose --block 96 --block 32x4 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_80 -cubin -o %t.80.cubin %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -ptx -o %t.ptx %t.cu
// RUN: %FileCheck %s --check-prefix=PTX < %t.ptx

// CHECK: float (&memory)[] = cufuse_partition::dynamicShared<float[]>(cufuse_dynamicOffset);
// CHECK: double (&memory)[][33] = cufuse_partition::dynamicShared<double[][33]>(cufuse_dynamicOffset);
// PTX-DAG: barrier.cta.sync 1, 96
// PTX-DAG: barrier.cta.sync 2, 128

//--- reverse.cu
__global__ void reverse(float *data) {
  extern __shared__ float memory[];
  memory[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = memory[blockDim.x - 1 - threadIdx.x];
}

//--- transpose.cu
__global__ void transpose(const double *in, double *out) {
  extern __shared__ __align__(16) double memory[][33];
  for (int y = threadIdx.y; y < 32; y += blockDim.y)
    memory[y][threadIdx.x] = in[y * 32 + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += blockDim.y)
    out[y * 32 + threadIdx.x] = memory[threadIdx.x][y];
}
