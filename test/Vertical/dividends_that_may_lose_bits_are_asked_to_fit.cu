// A row whose number is multiplied in 32 bits and divided again is the block's only if nothing was lost: the launch is asked.
// RUN: %cufuse fuse --vertical %s:stores %s:turns --link stores.w=turns.w --link stores.heads=turns.heads \
// RUN:   --link stores.length=turns.length --distinct --block 64 --name fused -o %t.cu && FileCheck %s --input-file %t.cu
// CHECK: {{^ *}}static_cast<long long>(grid.x) * heads - 1ll * heads > 2147483647ll
// So is an element's number times a constant, where the thread has but one element.
// RUN: %cufuse fuse --vertical %s:fill %s:again --link fill.y=again.y --link fill.n=again.n --distinct --name multiple \
// RUN:   -o %t.cu && FileCheck %s --check-prefix=TIMES --input-file %t.cu
// TIMES: 48ll * {{.*}}n{{.*}} > 2147483647ll
__global__ void fill(float *y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = i;
}
__global__ void again(const float *y, float *z, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = y[i * 48u / 48u];
}
__global__ void stores(const int *x, int *w, unsigned heads, int length) {
  __shared__ int s[64];
  s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  const unsigned row = blockIdx.x * heads;
  const size_t batch = row / heads;
  for (int k = threadIdx.x; k < length; k += 64)
    w[batch * length + k] = s[63 - threadIdx.x] + 1;
}
__global__ void turns(const int *w, int *out, unsigned heads, int length) {
  for (int k = threadIdx.x; k < length; k += 64)
    out[size_t(blockIdx.x) * length + k] = w[size_t(blockIdx.x) * length + length - 1 - k];
}
