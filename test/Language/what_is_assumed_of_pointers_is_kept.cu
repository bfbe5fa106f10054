// `__builtin_assume_aligned` and the like say the same of the same pointers in the output.
// RUN: %cufuse fuse %s:scale %s:sums --block 64 --block 64 --name o -o %t.cu && %nvcc -c -o %t.o %t.cu
// RUN: %cufuse fuse %s:scale %s:plusOne --link scale.out=plusOne.in --link scale.n=plusOne.n --distinct --block 64 --name o -o %t.cu
// RUN: %nvcc -c -o %t.o %t.cu
__global__ void scale(const float *in, float *out, int n) {
  const float *x = (const float *)__builtin_assume_aligned(in, 16);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __builtin_assume(n > 0);
  if (i < n)
    out[i] = x[i] * 2;
}
__global__ void sums(const float *in, float *out, int n) {
  const float4 *x = (const float4 *)__builtin_assume_aligned(in, 16);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i < n) {
    const float4 v = x[i];
    out[i] = v.x + v.y + v.z + v.w;
  }
}
__global__ void plusOne(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}
