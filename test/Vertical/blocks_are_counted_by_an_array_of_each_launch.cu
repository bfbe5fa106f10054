// The last block is counted by the address of what each launch has for itself: its sums, not a flag that launches on
// several streams may set together, whatever the order of the parameters is.
// RUN: %cufuse fuse --vertical %s:partialSums %s:total --last-block --name o -o %t.cu
// RUN: FileCheck %s --input-file %t.cu
// CHECK: placeOf(place, {{.*}}.partial)
// RUN: %cufuse fuse --vertical %s:partialSumsOf %s:total --last-block --name o -o %t.cu
// RUN: FileCheck %s --input-file %t.cu
// Launches that are given one array may store to different parts of it at once: then they are told apart by the stream.
// RUN: %cufuse fuse --vertical %s:parts %s:sumOf --last-block --name o -o %t.cu && FileCheck %s --check-prefix=STREAM --input-file %t.cu
// RUN: %cufuse fuse --vertical %s:scattered %s:sumOf --last-block --name o -o %t.cu
// RUN: FileCheck %s --check-prefix=STREAM --input-file %t.cu
// RUN: %cufuse fuse --vertical %s:turned %s:sumOf --last-block --name o -o %t.cu && FileCheck %s --check-prefix=ARRAY --input-file %t.cu
// STREAM: cudaStreamIsCapturing(
// STREAM-NOT: == nullptr || // by which
// STREAM: placeOf(place, stream)
// ARRAY-NOT: cudaStreamIsCapturing(
// ARRAY: placeOf(place, {{.*}}.out)
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

__global__ void parts(float *out, int first) { out[first + blockIdx.x] = blockIdx.x; }
__global__ void scattered(float *out, const int *to) { out[to[blockIdx.x]] = blockIdx.x; }
__global__ void turned(float *out, int first) {
  for (int i = threadIdx.x; i < first; i += 32)
    out[blockIdx.x * first + gridDim.x * i] = first;
}
__global__ void sumOf(const float *in, float *out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += in[i];
  *out = sum;
}
void partsThenSum(float *x, float *out, int n) {
  parts<<<n, 32>>>(x, n);
  sumOf<<<1, 32>>>(x, out, n);
}
void scatteredThenSum(float *x, const int *to, float *out, int n) {
  scattered<<<n, 32>>>(x, to);
  sumOf<<<1, 32>>>(x, out, n);
}
void turnedThenSum(float *x, float *out, int n) {
  turned<<<n, 32>>>(x, n);
  sumOf<<<1, 32>>>(x, out, n);
}
