// Two copies of a kernel with dynamic shared memory and a parameter structure of its own file.
// RUN: %cufuse fuse %s:windowed %s:plain --block 64 --block 64 --copies windowed=2 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %FileCheck %s --check-prefix=HEADER < %t.h
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_80 -cubin -o %t.80.cubin %t.cu

// CHECK: namespace windowed_plain_text { inline namespace {{.*}} { namespace cufuse_windowed { namespace copy0 {
// CHECK: using cufuse_partition = {{.*}}::CufusePartition<0, 1, 64, 1, 1>;
// CHECK: namespace windowed_plain_text { inline namespace {{.*}} { namespace cufuse_windowed { namespace copy1 {
// CHECK: using cufuse_partition = {{.*}}::CufusePartition<64, 2, 64, 1, 1>;
// CHECK: windowed(uint3{{.*}}, 1 * windowed_dynamicStride
// HEADER: struct Window

constexpr unsigned Taps = 3;
enum Border { Clamp, Wrap };
struct Window {
  float taps[Taps];
  Border border;
};
__device__ float tap(const Window &window, unsigned i) { return window.border == Clamp ? window.taps[i % Taps] : 1.0f; }

__global__ void windowed(float *data, Window window) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = data[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (unsigned i = 0; i < Taps; ++i)
    sum += tap(window, i) * tile[(threadIdx.x + i) % blockDim.x];
  data[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void plain(float *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
