// In turn, a loop over a row may count from where the row begins: its counter less that is the other loop's. Its text
// counts otherwise, so rows are not kept in registers.
// RUN: %cufuse fuse --vertical %s:'bias<int>' %s:'norm<int>' --distinct --name both -o %t.cu 2>&1 | FileCheck %s
// RUN: %cufuse fuse --vertical %s:'bias<unsigned>' %s:'norm<unsigned>' --distinct --name both -o %t.cu 2>&1 | FileCheck %s
// CHECK: In turn, a thread its part of every kernel: bias{{.*}}, then norm{{.*}} In memory: bias.m.
// RUN: not %cufuse fuse --vertical %s:'further<int>' %s:'norm<int>' --distinct --name both -o %t.cu 2>&1 | FileCheck %s --check-prefix FURTHER
// FURTHER: no form fits: {{.*}}in turn: a block may use what another kernel stores
template <typename Number> __global__ void bias(float *m, const float *b, Number n) {
  const Number begin = blockIdx.x * n, end = begin + n;
  for (Number i = begin + threadIdx.x; i < end; i += blockDim.x)
    m[i] += b[i - begin];
}
template <typename Number> __global__ void further(float *m, const float *b, Number n) {
  const Number begin = blockIdx.x * n, end = begin + n;
  for (Number i = begin + threadIdx.x; i < end + 1; i += blockDim.x)
    m[i] = b[i - begin];
}
template <typename Number> __global__ void norm(float *m, const float *g, Number n) {
  __shared__ float total;
  const Number begin = blockIdx.x * n, end = begin + n;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  float sum = 0;
  for (Number i = begin + threadIdx.x; i < end; i += blockDim.x)
    sum += m[i] * m[i];
  atomicAdd(&total, sum);
  __syncthreads();
  const float scale = rsqrtf(total / n);
  for (Number i = begin + threadIdx.x; i < end; i += blockDim.x)
    m[i] = m[i] * scale * g[i - begin];
}
void launch(float *m, const float *b, const float *g, int rows, int n) {
  bias<int><<<rows, 256>>>(m, b, n);
  norm<int><<<rows, 256>>>(m, g, n);
  further<int><<<rows, 256>>>(m, b, n);
  norm<int><<<rows, 256>>>(m, g, n);
}
void launch(float *m, const float *b, const float *g, unsigned rows, unsigned n) {
  bias<unsigned><<<rows, 256>>>(m, b, n);
  norm<unsigned><<<rows, 256>>>(m, g, n);
}
