// For the consumer, which compares unsigned numbers, a negative n is a large one; for the producer there are no elements.
// The launcher takes none.
// RUN: %cufuse fuse --vertical %s:twice %s:next --link twice.out=next.in --link twice.n=next.n --dead twice.out --block 64 \
// RUN:   -o %t.cu
// RUN: FileCheck %s < %t.cu
// CHECK: if (n == 0)
// CHECK-NEXT: return cudaSuccess;
// CHECK: {{[ (]}}n < 0
// CHECK: return cudaErrorInvalidConfiguration;
__global__ void twice(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
__global__ void next(const float *__restrict__ in, float *__restrict__ out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}
