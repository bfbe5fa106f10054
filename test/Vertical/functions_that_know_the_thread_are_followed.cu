// Functions are followed wherever they are called: what they make of the thread's place counts, not how they are written.
// RUN: %cufuse inspect --full %s | FileCheck %s

__device__ int gid() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int place(unsigned thread, unsigned block, unsigned threads = 64) { return block * threads + thread; }
struct Index {
  int step;
  __device__ int first() const { return blockIdx.x * blockDim.x + threadIdx.x; }
  __device__ ~Index() {}
};

// CHECK-LABEL: {{^}}called(
// CHECK: shape            pointwise: elements below n{{$}}
// CHECK-NEXT: load             in[element]
__global__ void called(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = gid();
  if (i < n)
    out[i] = in[i];
}
// CHECK-LABEL: {{^}}given(
// CHECK: shape            pointwise: elements below n{{$}}
__global__ void given(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = place(threadIdx.x, blockIdx.x, blockDim.x);
  if (i < n)
    out[i] = in[i];
}
// CHECK-LABEL: {{^}}lambda(
// CHECK: shape            pointwise: elements below n, by a loop over the grid
__global__ void lambda(const float *__restrict__ in, float *__restrict__ out, int n) {
  const auto step = [=] { return blockDim.x * gridDim.x; };
  for (int i = gid(); i < n; i += step())
    out[i] = in[i];
}

// It is 64 threads that it takes for the block's.
// CHECK-LABEL: {{^}}otherBlock(
// CHECK: shape            row-wise
__global__ void otherBlock(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = place(threadIdx.x, blockIdx.x);
  if (i < n)
    out[i] = in[i];
}

// CHECK-LABEL: {{^}}parity(
// CHECK: shape            opaque
__device__ int half() { return threadIdx.x & 1; }
__global__ void parity(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = gid();
  if (i < n)
    out[i] = in[i] * half();
}
// CHECK-LABEL: {{^}}other(
// CHECK: shape            opaque
__device__ int column() { return threadIdx.y; }
__global__ void other(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = gid();
  if (i < n)
    out[i] = in[i] * column();
}
// CHECK-LABEL: {{^}}statements(
// CHECK: shape            pointwise: elements below n{{$}}
__device__ int twoLines() {
  int i = threadIdx.x;
  return blockIdx.x * blockDim.x + i;
}
__global__ void statements(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = twoLines();
  if (i < n)
    out[i] = in[i];
}
// CHECK-LABEL: {{^}}pointer(
// CHECK: shape            pointwise: elements below n{{$}}
__global__ void pointer(const float *__restrict__ in, float *__restrict__ out, int n) {
  int (*const place)() = gid;
  const int i = gid();
  if (i < n)
    out[i] = in[i] + place();
}
// CHECK-LABEL: {{^}}argument(
// CHECK: shape            pointwise: elements below n{{$}}
template <typename F> __device__ int run(F f) { return f(); }
__global__ void argument(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = gid();
  if (i < n)
    out[i] = in[i] + run(gid);
}
// CHECK-LABEL: {{^}}byDefault(
// CHECK: shape            opaque
__device__ int here(int block = blockIdx.x) { return block * blockDim.x + threadIdx.x; }
__global__ void byDefault(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = here();
  if (i < n)
    out[i] = in[i];
}
// CHECK-LABEL: {{^}}member(
// CHECK: shape            pointwise: elements below n{{$}}
__global__ void member(const float *__restrict__ in, float *__restrict__ out, int n) {
  const Index index{1};
  const int i = index.first();
  if (i < n)
    out[i] = in[i];
}
// A parameter of the kernel is not visible there.
// CHECK-LABEL: {{^}}bare(
// CHECK: shape            opaque
// CHECK: not pointwise    {{.*}} operator() reads where the thread is, and is not followed
__global__ void bare(const float *__restrict__ in, float *__restrict__ out, int n) {
  const auto at = [] { return gid(); };
  const int i = at();
  if (i < n)
    out[i] = in[i];
}
// CHECK-LABEL: {{^}}endless(
// CHECK: shape            opaque
__device__ int again(int n) { return 1 + again(n - 1) * again(n - 2) + threadIdx.x; }
__global__ void endless(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = again(n);
  if (i < n)
    out[i] = in[i];
}
// Rows may be asked for, too.
// CHECK-LABEL: {{^}}rows(
// CHECK: shape            row-wise
// CHECK: store            out[blockIdx.x * columns + i']
__device__ int row() { return blockIdx.x; }
__global__ void rows(const float *__restrict__ in, float *__restrict__ out, int columns) {
  __shared__ float sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    atomicAdd(&sum, in[row() * columns + i]);
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[row() * columns + i] = sum;
}
