// Kernels over elements need no --block: no proof asks for it, and the launch makes the grid. What sees its block does.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse --vertical %s:bias %s:gelu --link bias.out=gelu.in --link bias.n=gelu.n --explain -o %t/a.cu 2>&1 | \
// RUN:   FileCheck %s
// RUN: %cufuse fuse --vertical %s:bounded %s:gelu --link bounded.out=gelu.in --link bounded.n=gelu.n -o %t/b.cu && \
// RUN:   FileCheck %s --check-prefix=BOUNDED --input-file %t/b.cu
// RUN: %exits 1 %cufuse fuse --vertical %s:bias %s:sums --link bias.out=sums.in --link bias.n=sums.n -o %t/c.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=SUMS
// What elements exchange in memory makes no difference, nor does what goes without saying make a condition.
// RUN: %cufuse fuse --vertical %s:kicked %s:energy --link kicked.p=energy.p --link kicked.n=energy.n --distinct -o %t/d.cu && \
// RUN:   FileCheck %s --check-prefix=MEMORY --input-file %t/d.cu --implicit-check-not='{{n > 0 && .*n < 0}}'
// MEMORY: threads {{ *}}0 to {{ *}}255: kicked, then energy, block 256
// CHECK: block 256: its elements may be in blocks of any size
__global__ void bias(const float *in, float b, float *out, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    out[i] = in[i] + b;
}
__global__ void gelu(const float *in, float *out, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    out[i] = 0.5f * in[i] * (1 + erff(in[i] * 0.70710678f));
}
// BOUNDED: threads {{ *}}0 to {{ *}}95: bounded, then gelu, block 96
__global__ void __launch_bounds__(96) bounded(const float *in, float b, float *out, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    out[i] = in[i] * b;
}
// SUMS: error: {{.*}}the block size is not known
__global__ void sums(const float *in, float *out, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    atomicAdd(out + blockIdx.x, in[i]);
}
__global__ void kicked(float3 *p, float by, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) {
    p[i].x += by;
    p[i].z -= by;
  }
}
__global__ void energy(const float3 *p, float *out, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    out[i] = p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z;
}
