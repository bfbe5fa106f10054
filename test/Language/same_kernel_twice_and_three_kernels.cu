// The same kernel twice has two namespaces; three kernels share a launch, in the stride policy too.
// RUN: %cufuse fuse %s:square %s:square --block 64 --block 128 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %cufuse fuse %s:square %s:square %s:sum --block 64 --block 64 --block 64 --grid-policy stride -o %t.cu
// RUN: %FileCheck %s --check-prefix=STRIDE < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK: namespace square_square_text { inline namespace {{.*}} { namespace cufuse_square_0 {
// CHECK: namespace square_square_text { inline namespace {{.*}} { namespace cufuse_square_1 {
// STRIDE: for (unsigned block = blockIdx.x; block < square_0_{{.*}}; block += gridDim.x) {
// STRIDE: for (unsigned block = blockIdx.x; block < square_1_{{.*}}; block += gridDim.x) {
// STRIDE: for (unsigned block = blockIdx.x; block < sum_{{.*}}; block += gridDim.x) {
// STRIDE: cufuse_partition::sync(); // before the next block

__global__ void square(float *data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] *= data[i];
}
__global__ void sum(const float *in, float *out) {
  __shared__ float total;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  atomicAdd(&total, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = total;
}
