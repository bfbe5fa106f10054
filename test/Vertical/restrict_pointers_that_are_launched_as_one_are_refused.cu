// The program's own contradiction is a refusal, not a bad command line.
// RUN: %exits 1 %cufuse fuse --vertical %s:fill %s:shift -o %t.cu 2>&1 | FileCheck %s
// CHECK: shift.in and shift.out are one array, which shift stores to, but both are __restrict__ [SameMemory]
__global__ void fill(float *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = 1;
}
__global__ void shift(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
void both(float *p, int n) {
  fill<<<(n + 255) / 256, 256>>>(p, n);
  shift<<<(n + 255) / 256, 256>>>(p, p, n);
}
