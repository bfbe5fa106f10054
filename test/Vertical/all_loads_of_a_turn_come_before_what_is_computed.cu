// nvcc may move no load of a turn behind what is computed with the others. One load alone needs nothing for that.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:scale %s:add --link scale.out=add.x --link scale.n=add.n --dead scale.out --vectorize 4 --name two -o %t/two.cu
// RUN: %nvcc -std=c++17 -arch=sm_90a -ptx -o %t/two.ptx %t/two.cu
// RUN: FileCheck %s --input-file %t/two.ptx
// RUN: %cufuse fuse %s:scale %s:shift --link scale.out=shift.x --link scale.n=shift.n --dead scale.out --vectorize 4 --name one \
// RUN:   -o %t/one.cu
// RUN: not grep activemask %t/one.cu
// REQUIRES: nvcc

// CHECK: .entry
// CHECK: ld.global.v4
// CHECK: ld.global.v4
// CHECK-NOT: fma
// CHECK: bar.warp.sync
// CHECK: fma.rn.f32
// CHECK: st.global.v4
__global__ void scale(const float *in, float *out, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * by;
}
__global__ void add(const float *x, const float *y, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] + y[i];
}
__global__ void shift(const float *x, float by, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] + by;
}
