// Recursion, mutual recursion, helpers declared before and defined behind, templates that call what comes later.
// RUN: %cufuse fuse %s:later %s:recursive --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

__device__ float behind(float x);
template <typename T> __device__ T viaArgument(T x) { return x.plus(adjust(x)); }

struct Amount {
  float v;
  __device__ Amount plus(Amount a) const;
};
__device__ Amount adjust(Amount a) { return {a.v + threadIdx.x}; }

__device__ int odd(int n);
__device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }

__global__ void later(float *data) { data[threadIdx.x] = behind(data[threadIdx.x]) + viaArgument(Amount{1}).v; }
__global__ void recursive(int *data) { data[threadIdx.x] = even(data[threadIdx.x]); }

__device__ float behind(float x) { return x + threadIdx.x; }
__device__ Amount Amount::plus(Amount a) const { return {v + a.v}; }
