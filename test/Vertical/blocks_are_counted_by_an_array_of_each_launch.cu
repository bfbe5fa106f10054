// The last block is counted by the address of what each launch has for itself: its sums, not a flag that launches on
// several streams may set together, whatever the order of the parameters is.
// RUN: %cufuse fuse --vertical %s:partialSums %s:total --last-block --name o -o %t.cu
// RUN: FileCheck %s --input-file %t.cu
// CHECK: placeOf(place, {{.*}}.partial)
// RUN: %cufuse fuse --vertical %s:partialSumsOf %s:total --last-block --name o -o %t.cu
// RUN: FileCheck %s --input-file %t.cu
__global__ void partialSums(const float *x, float *partial, int *bad, int n) {
  __shared__ float sums[64];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (x[i] != x[i])
      atomicOr(bad, 1);
    sum += x[i];
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int k = 32; k; k /= 2) {
    if (threadIdx.x < k)
      sums[threadIdx.x] += sums[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sums[0];
}
__global__ void partialSumsOf(const float *x, float *partial, int *bad, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] != x[i])
    *bad = 1;
  if (threadIdx.x == 0)
    partial[blockIdx.x] = x[i];
}
__global__ void total(const int *bad, const float *partial, float *out, int count) {
  if (threadIdx.x != 0)
    return;
  float sum = 0;
  for (int i = 0; i < count; ++i)
    sum += partial[i];
  *out = *bad ? 0 : sum;
}
void sums(const float *x, int *bad, float *partial, float *out, int n, int blocks, cudaStream_t stream) {
  partialSums<<<blocks, 64, 0, stream>>>(x, partial, bad, n);
  total<<<1, 32, 0, stream>>>(bad, partial, out, blocks);
}
void sumsOf(const float *x, int *bad, float *partial, float *out, int n, int blocks, cudaStream_t stream) {
  partialSumsOf<<<blocks, 64, 0, stream>>>(x, partial, bad, n);
  total<<<1, 32, 0, stream>>>(bad, partial, out, blocks);
}
