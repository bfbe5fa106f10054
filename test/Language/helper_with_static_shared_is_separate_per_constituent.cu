// One helper holds a static array and synchronises; both kernels, and two copies of one, get arrays of their own.
// RUN: %cufuse fuse %s:rowSums %s:rowMaxima --block 128 --block 64 --copies rowMaxima=2 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu


// CHECK: namespace rowSums_rowMaxima_text { inline namespace {{.*}} { namespace cufuse_rowSums {
// CHECK: __shared__ float partial[32];
// CHECK: namespace rowSums_rowMaxima_text { inline namespace {{.*}} { namespace cufuse_rowMaxima { namespace copy0 {
// CHECK: __shared__ float partial[32];
// CHECK: namespace rowSums_rowMaxima_text { inline namespace {{.*}} { namespace cufuse_rowMaxima { namespace copy1 {
// CHECK: __shared__ float partial[32];


template <typename Combine> __device__ float acrossBlock(float value, Combine combine) {
  __shared__ float partial[32];
  for (int offset = 16; offset > 0; offset /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp)
    value = combine(value, partial[warp]);
  return value;
}

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Maximum {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

__global__ void rowSums(const float *in, float *out) {
  const float sum = acrossBlock(in[blockIdx.x * blockDim.x + threadIdx.x], Sum());
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

__global__ void rowMaxima(const float *in, float *out) {
  const float maximum = acrossBlock(in[blockIdx.x * blockDim.x + threadIdx.x], Maximum());
  if (threadIdx.x == 0)
    out[blockIdx.x] = maximum;
}
