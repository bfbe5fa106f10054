// What is written around the kernels is valid in the standard of the flags, without warnings. Links need C++14: with an older one,
// that is said.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %cufuse fuse %s:plus %s:twice --block 128 --block 128 --name one -o one.cu -- -std=c++11
// RUN: %nvcc -std=c++11 -arch=sm_90a -Werror all-warnings -ptx -o one.ptx one.cu
// RUN: %cufuse fuse %s:plus %s:twice --block 128 --block 128 --geometry threads --name two -o two.cu -- -std=c++14
// RUN: %nvcc -std=c++14 -arch=sm_90a -Werror all-warnings -ptx -o two.ptx two.cu
// RUN: %cufuse fuse %s:plus %s:sum --block 128 --block 128 --geometry blocks --grid-policy pool --name three -o three.cu -- -std=c++14
// RUN: %nvcc -std=c++14 -arch=sm_90a -Werror all-warnings -ptx -o three.ptx three.cu
// RUN: %cufuse fuse %s:plus %s:twice --link plus.y=twice.x --link plus.n=twice.n --dead plus.y --vectorize 4 --name four -o four.cu -- -std=c++14
// RUN: %nvcc -std=c++14 -arch=sm_90a -Werror all-warnings -ptx -o four.ptx four.cu
// RUN: %cufuse fuse %s:plus %s:sum --link plus.y=sum.x --dead plus.y --block 128 --reassociate --name five -o five.cu -- -std=c++14
// RUN: %nvcc -std=c++14 -arch=sm_90a -Werror all-warnings -ptx -o five.ptx five.cu
// RUN: %exits 2 %cufuse fuse %s:plus %s:twice --link plus.y=twice.x --link plus.n=twice.n --name no -o no.cu -- -std=c++11 2>&1 \
// RUN:   | FileCheck %s
// CHECK: error: kernels with links become one in c++14 at least, and -std=c++11 is older
// CHECK: note: compile with -std=c++14 or later
__global__ void plus(float *y, const float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1;
}
__global__ void twice(const float *x, float *z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = x[i] * 2;
}
__global__ void sum(const float *x, float *sums, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += x[blockIdx.x * columns + i];
  atomicAdd(&sums[blockIdx.x], all);
}
