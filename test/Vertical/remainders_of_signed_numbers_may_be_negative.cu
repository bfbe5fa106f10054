// What 32 bits leave of a product may be below zero where it has a sign, and then so is what remains of a division: a panel has
// such an element only where the launch is asked that the product fits. Nor are remainders with a
// sign and without one the same.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:put %s:product --link put.y=product.y --distinct --block 64 --name product -o %t/product.cu
// RUN: FileCheck %s --check-prefix=PRODUCT --input-file %t/product.cu
// RUN: %cufuse fuse %s:put %s:wider --link put.y=wider.y --distinct --block 64 --name wider -o %t/wider.cu
// RUN: FileCheck %s --check-prefix=PRODUCT --input-file %t/wider.cu
// RUN: %cufuse fuse %s:put %s:sum --link put.y=sum.y --distinct --block 64 --name sum -o %t/sum.cu
// RUN: FileCheck %s --check-prefix=SUM --input-file %t/sum.cu
// RUN: %cufuse fuse %s:put %s:plain --link put.y=plain.y --distinct --block 64 --name plain -o %t/plain.cu
// RUN: FileCheck %s --check-prefix=PLAIN --input-file %t/plain.cu
// RUN: %cufuse fuse %s:some %s:others --link some.y=others.y --link some.seed=others.seed --link some.n=others.n \
// RUN:   --dead some.y --distinct --block 64 --name some -o %t/some.cu 2>&1 | FileCheck %s --check-prefix=SOME

// PRODUCT: 63ll * seed > 2147483647ll ||
// SUM: 63ll + static_cast<long long>(seed) > 2147483647ll ||
// PLAIN-NOT: 2147483647ll
// SOME: In memory: some.y.

__global__ void put(float *y, const float *x) { y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x]; }
__global__ void product(const float *y, float *z, int seed) {
  const int r = (int)(threadIdx.x * (unsigned)seed) % 64;
  z[blockIdx.x * 64 + threadIdx.x] = y[(int)blockIdx.x * 64 + r];
}
__global__ void wider(const float *y, float *z, int seed) {
  const long r = (long)(int)(threadIdx.x * (unsigned)seed) % 64;
  z[blockIdx.x * 64 + threadIdx.x] = y[blockIdx.x * 64 + r];
}
__global__ void sum(const float *y, float *z, int seed) {
  const int r = (int)(threadIdx.x + (unsigned)seed) % 64;
  z[blockIdx.x * 64 + threadIdx.x] = y[(int)blockIdx.x * 64 + r];
}
__global__ void plain(const float *y, float *z, int seed) {
  const int r = (int)threadIdx.x * 5 % 64;
  z[blockIdx.x * 64 + threadIdx.x] = y[(int)blockIdx.x * 64 + r];
}
__global__ void some(float *y, const float *x, int n, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i * seed % 3u < 1)
    y[i] = x[i];
}
__global__ void others(const float *y, float *z, int n, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((int)(i * seed) % 3 < 1)
    z[i] = y[i];
}
