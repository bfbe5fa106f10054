// The first thread of a block is known by `== 0`, by `!= 0` and by itself.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse --in-registers --vertical %s:negated %s:scaled --block 64 --link negated.sum=scaled.sum -o %t/out.cu
// RUN: %cufuse fuse --in-registers --vertical %s:otherwise %s:scaled --block 64 --link otherwise.sum=scaled.sum -o %t/out.cu
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:others %s:scaled --block 64 --link others.sum=scaled.sum -o %t/out.cu 2>&1 | FileCheck %s

__global__ void negated(const float *__restrict__ in, float *__restrict__ sum, int columns) {
  if (!threadIdx.x)
    sum[blockIdx.x] = in[blockIdx.x * columns];
}
__global__ void otherwise(const float *__restrict__ in, float *__restrict__ sum, int columns) {
  const int thread = threadIdx.x;
  float value = in[blockIdx.x * columns];
  if (thread != 0)
    value = 0;
  else
    sum[blockIdx.x] = value;
}
// CHECK: error: {{.*}} others: sum[blockIdx.x] at {{[^ ]*}}:[[#@LINE+3]]:5, not by `if (threadIdx.x == 0)` alone
__global__ void others(const float *__restrict__ in, float *__restrict__ sum, int columns) {
  if (threadIdx.x)
    sum[blockIdx.x] = in[blockIdx.x * columns];
}

__global__ void scaled(const float *__restrict__ in, const float *__restrict__ sum, float *__restrict__ out,
                       int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] / sum[blockIdx.x];
}
