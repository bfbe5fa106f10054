// A quotient of a large multiple is exact in 64 bits; in 32 bits, the multiple may have been meant to lose some.
// RUN: rm -rf %t && mkdir %t && %cufuse inspect --full %s | FileCheck %s
// RUN: %cufuse fuse %s:twice %s:wide --link twice.out=wide.in --link twice.n=wide.n --dead twice.out --block 128 \
// RUN:   -o %t/wide.cu && %nvcc -arch=sm_90a -cubin -o %t/wide.cubin %t/wide.cu
// RUN: %exits 1 %cufuse fuse %s:twice %s:narrow --link twice.out=narrow.in --link twice.n=narrow.n --dead twice.out \
// RUN:   --block 128 -o %t/narrow.cu 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: error: {{.*}} more often than allowed: narrow: in[(i << 8) >> 8] {{.*}} [Recomputed]

__global__ void twice(const float *__restrict__ in, float *__restrict__ out, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2;
}

// CHECK-LABEL: {{^}}wide(
// CHECK: pointwise: elements below n
__global__ void wide(const float *__restrict__ in, float *__restrict__ out, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, first = i * 4096;
  if (i < n)
    out[first / 4096] = in[(i << 8) >> 8] + first % 4096;
}

// CHECK-LABEL: {{^}}narrow(
// CHECK: in[unknown]
__global__ void narrow(const float *__restrict__ in, float *__restrict__ out, long long n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[(i << 8) >> 8];
}

// One part in 32 bits is enough, and so is a conversion on the way.
// CHECK-LABEL: {{^}}partly(
// CHECK: seen[unknown]
// CHECK: seen[unknown]
// CHECK: seen[8192 * blockIdx.x + threadIdx.x]
__global__ void partly(const float *__restrict__ seen, float *__restrict__ out, int columns) {
  const long long narrow = blockIdx.x * 8192, wide = blockIdx.x * 8192ll + threadIdx.x;
  out[threadIdx.x] = seen[narrow / columns] + seen[static_cast<unsigned>(wide) / columns] + seen[wide];
}
