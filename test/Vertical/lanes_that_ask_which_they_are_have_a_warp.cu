// Blocks of a few lanes share a warp, but for those of kernels that ask which lane of it they are.

// RUN: %cufuse fuse --vertical %s:twice %s:plain --copies 4 --name f -o %t.cu && FileCheck %s --input-file=%t.cu --check-prefix=LANES
// LANES: // threads    0 to   63:
// RUN: %cufuse fuse --vertical %s:twice %s:ranked --copies 4 --name f -o %t.cu && FileCheck %s --input-file=%t.cu
// CHECK: // threads   96 to  127: twice, then ranked, block 16

__device__ unsigned lane() {
  unsigned l;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(l));
  return l;
}
__global__ void twice(const float *__restrict__ x, float *__restrict__ y, int c) {
  for (int i = threadIdx.x; i < c; i += blockDim.x)
    y[blockIdx.x * c + i] = x[blockIdx.x * c + i] * 2;
}
__global__ void plain(const float *__restrict__ y, float *__restrict__ z, int c) {
  for (int i = threadIdx.x; i < c; i += blockDim.x)
    z[blockIdx.x * c + i] = y[blockIdx.x * c + i] - 1;
}
__global__ void ranked(const float *__restrict__ y, float *__restrict__ z, int c) {
  for (int i = threadIdx.x; i < c; i += blockDim.x)
    z[blockIdx.x * c + i] = y[blockIdx.x * c + i] - lane();
}
void run(const float *x, float *y, float *z, int r, int c) {
  twice<<<r, 16>>>(x, y, c);
  plain<<<r, 16>>>(y, z, c);
  twice<<<r, 16>>>(x, y, c);
  ranked<<<r, 16>>>(y, z, c);
}
