// Where a reduction takes what stays in memory, each element is computed once: kernels of which it takes nothing go with
// it. It may take the same array twice, as of r * r.
// RUN: split-file %s %t
// RUN: %cufuse fuse --vertical %t/kernels.cu:updateX %t/kernels.cu:updateR %t/kernels.cu:direction %t/kernels.cu:dot \
// RUN:   --distinct --block 64 --name both -o %t/both.cu
// RUN: %cufuse fuse %t/kernels.cu:updateR %t/kernels.cu:dot --link updateR.r=dot.a --link updateR.r=dot.b \
// RUN:   --link updateR.n=dot.n --distinct --block 64 --name one -o %t/one.cu
// RUN: FileCheck %s --input-file=%t/both.cu
// RUN: %execute -I %t %t/main.cu %t/kernels.cu %t/both.cu %t/one.cu
// CHECK: cufuse_updateX::updateX(
// CHECK-NEXT: cufuse_updateR::updateR(
// CHECK-NEXT: cufuse_direction::direction(
// CHECK: using cufuse_linked_a = cufuse_pointer<double, CufuseAt_dot_a>;
// CHECK-NEXT: using cufuse_linked_b = cufuse_pointer<double, CufuseAt_dot_a>;
// Of other elements, or where the reduction takes them in two places, each is not computed once:
// RUN: not %cufuse fuse %t/kernels.cu:updateX %t/kernels.cu:updateR %t/kernels.cu:dot --link updateR.r=dot.a \
// RUN:   --link updateR.r=dot.b --link updateR.n=dot.n --distinct --block 64 --in-registers -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=OTHER --input-file=%t/n
// OTHER: [DifferentBounds]
// RUN: not %cufuse fuse %t/kernels.cu:updateR %t/kernels.cu:next --link updateR.r=next.a --link updateR.r=next.b \
// RUN:   --link updateR.n=next.n --distinct --block 64 --in-registers -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=NEXT --input-file=%t/n
// NEXT: at loads: the intermediate would be computed where it is loaded, and would no longer be stored
// What is computed at a load has the memory of what is loaded there, and of no other array: what began elsewhere, or must be
// stored elsewhere, is not computed there.
// RUN: not %cufuse fuse %t/kernels.cu:updateX %t/kernels.cu:direction %t/kernels.cu:dot --link updateX.x=direction.r \
// RUN:   --link updateX.n=direction.n --link direction.z=dot.a --link direction.n=dot.n --dead updateX.x \
// RUN:   --distinct --block 64 --in-registers -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=BEGAN --input-file=%t/n
// BEGAN: the producer loads from the intermediate: updateX: x holds what was there before, and is not what dot loads [IntermediateRead]
// RUN: not %cufuse fuse %t/kernels.cu:updateR %t/kernels.cu:direction %t/kernels.cu:updateX %t/kernels.cu:dot \
// RUN:   --link updateR.r=dot.a --link updateR.n=dot.n --link direction.z=updateX.p --link direction.n=updateX.n \
// RUN:   --link updateR.q=direction.r --link updateR.n=direction.n --distinct --block 64 --in-registers -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=LIVE --input-file=%t/n
// LIVE: direction.z, which updateX takes as p [LiveIntermediate]

//--- kernels.cu
__global__ void updateX(double *x, const double *p, const double *rr, const double *pq, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += *rr / *pq * p[i];
}
__global__ void updateR(double *r, const double *q, const double *rr, const double *pq, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    r[i] -= *rr / *pq * q[i];
}
__global__ void direction(const double *r, const double *d, double *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = r[i] / d[i];
}
__global__ void dot(const double *a, const double *b, double *partial, int n) {
  __shared__ double all[64];
  double mine = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    mine += a[i] * b[i];
  all[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < blockDim.x; ++k)
      all[0] += all[k];
    partial[blockIdx.x] = all[0];
  }
}
__global__ void next(const double *a, const double *b, double *partial, int n) {
  __shared__ double all[64];
  double mine = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    mine += a[i] * b[i + 1 < n ? i + 1 : i];
  all[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < blockDim.x; ++k)
      all[0] += all[k];
    partial[blockIdx.x] = all[0];
  }
}
void step(double *x, double *r, const double *p, const double *q, const double *d, double *z, const double *rr,
          const double *pq, double *partial, int n, int blocks) {
  updateX<<<(n + 63) / 64, 64>>>(x, p, rr, pq, n);
  updateR<<<(n + 63) / 64, 64>>>(r, q, rr, pq, n);
  direction<<<(n + 63) / 64, 64>>>(r, d, z, n);
  dot<<<blocks, 64>>>(r, r, partial, n);
}

//--- main.cu
#include "both.h"
#include "one.h"
#include <cstdio>
#include <vector>
void step(double *, double *, const double *, const double *, const double *, double *, const double *, const double *,
          double *, int, int);
static double *made(size_t n, int seed) {
  std::vector<double> host(n);
  for (size_t i = 0; i < n; ++i)
    host[i] = (i * 7919 + seed * 131) % 997 / 64.0 + 1;
  double *at;
  cudaMalloc(&at, n * sizeof(double));
  cudaMemcpy(at, host.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  return at;
}
static bool same(const double *x, const double *y, size_t n) {
  std::vector<double> a(n), b(n);
  cudaMemcpy(a.data(), x, n * sizeof(double), cudaMemcpyDeviceToHost);
  cudaMemcpy(b.data(), y, n * sizeof(double), cudaMemcpyDeviceToHost);
  return a == b;
}
int main() {
  for (int n : {1, 63, 64, 65, 500, 1000})
    for (int blocks : {1, 3, 16}) {
      double *p = made(n, 1), *q = made(n, 2), *d = made(n, 3), *rr = made(1, 4), *pq = made(1, 9);
      double *x[3], *r[3], *z[3], *partial[3];
      for (int k = 0; k < 3; ++k)
        x[k] = made(n, 5), r[k] = made(n, 6), z[k] = made(n, 7), partial[k] = made(blocks, 8);
      step(x[0], r[0], p, q, d, z[0], rr, pq, partial[0], n, blocks);
      if (both::updateX_updateR_direction_dot::launch(dim3(blocks), x[1], p, rr, pq, n, r[1], q, d, z[1], partial[1], 0) != cudaSuccess ||
          one::updateR_dot::launch(dim3(blocks), r[2], q, rr, pq, n, partial[2], 0) != cudaSuccess)
        return std::printf("%d: not launched\n", n), 1;
      if (!same(x[0], x[1], n) || !same(r[0], r[1], n) || !same(z[0], z[1], n) || !same(partial[0], partial[1], blocks) ||
          !same(r[0], r[2], n) || !same(partial[0], partial[2], blocks))
        return std::printf("%d elements, %d blocks differ\n", n, blocks), 1;
    }
}
