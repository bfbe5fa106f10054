// The argument is the first kernel's, which only loads; the two that follow change the same array in place.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %cufuse fuse %s:add %s:scale %s:offset --link add.in=scale.x --link scale.x=offset.x --link add.n=scale.n \
// RUN:   --link add.n=offset.n --block 128 --name single -o single.cu
// RUN: %cufuse fuse %s:add %s:scale %s:offset --link add.in=scale.x --link scale.x=offset.x --link add.n=scale.n \
// RUN:   --link add.n=offset.n --block 128 --vectorize 4 --name fours -o fours.cu
// RUN: FileCheck %s --input-file=fours.cu
// CHECK: cufuseStore<Width>({{.*}}, const_cast<float *>(in) + first);
__global__ void add(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}
__global__ void scale(float *__restrict__ x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 3;
}
__global__ void offset(float *__restrict__ x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] -= 2;
}
