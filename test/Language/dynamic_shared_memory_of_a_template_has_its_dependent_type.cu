// The element type depends on the template, and the memory is cut up by hand.
// RUN: %cufuse fuse '%s:partialSums<float>' '%s:partialSums<float>' '%s:staged<int2, 4>' --block 128 --block 64 --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK-COUNT-2: T (&values)[] = cufuse_partition::dynamicShared<T[]>(cufuse_dynamicOffset);
// CHECK: unsigned char (&raw)[] = cufuse_partition::dynamicShared<unsigned char[]>(cufuse_dynamicOffset);

template <typename T> __global__ void partialSums(const T *in, T *out) {
  extern __shared__ T values[];
  values[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      values[threadIdx.x] += values[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = values[0];
}

template <typename T, int Stages> __global__ void staged(const T *in, int *out, int count) {
  extern __shared__ __align__(sizeof(double)) unsigned char raw[];
  T *stages = reinterpret_cast<T *>(raw);
  int *sums = reinterpret_cast<int *>(raw + Stages * sizeof(T) * blockDim.x);
  for (int s = 0; s < Stages; ++s)
    stages[s * blockDim.x + threadIdx.x] = in[(s * count + threadIdx.x) % count];
  sums[threadIdx.x] = 0;
  __syncthreads();
  for (int s = 0; s < Stages; ++s)
    sums[threadIdx.x] += stages[s * blockDim.x + (threadIdx.x ^ 1)].x;
  out[threadIdx.x] = sums[threadIdx.x];
}
