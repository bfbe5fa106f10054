// Helpers declare the dynamic shared memory, one through a class template as CUDA's samples do.
// RUN: %cufuse fuse %s:viaHelper '%s:viaClass<double>' --block 64 --block 128 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK: int (&scratch)[] = cufuse_partition::dynamicShared<int[]>(cufuse_dynamicOffset);
// CHECK: enterBlock(
// CHECK: enterBlock(

__device__ int *scratchMemory() {
  __shared__ extern int scratch[];
  return scratch;
}

__global__ void viaHelper(int *data) {
  scratchMemory()[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = scratchMemory()[threadIdx.x ^ 1];
}

template <typename T> struct SharedMemory;
template <> struct SharedMemory<double> {
  __device__ operator double *() {
    extern __shared__ double doubles[];
    return doubles;
  }
};
template <> struct SharedMemory<float> {
  __device__ operator float *() {
    extern __shared__ float floats[];
    return floats;
  }
};

template <typename T> __global__ void viaClass(T *data) {
  T *shared = SharedMemory<T>();
  shared[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = shared[threadIdx.x ^ 1];
}
