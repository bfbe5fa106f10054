// Where a reduction takes what stays in memory, each element is computed once: kernels of which it takes nothing go with
// it. It may take the same array twice, as of r * r.
// RUN: split-file %s %t
// RUN: %cufuse fuse --vertical %t/kernels.cu:updateX %t/kernels.cu:updateR %t/kernels.cu:direction %t/kernels.cu:dot \
// RUN:   --distinct --block 64 --name both -o %t/both.cu
// RUN: %cufuse fuse %t/kernels.cu:updateR %t/kernels.cu:dot --link updateR.r=dot.a --link updateR.r=dot.b \
// RUN:   --link updateR.n=dot.n --distinct --block 64 --name one -o %t/one.cu
// RUN: FileCheck %s --input-file=%t/both.cu
// CHECK: cufuse_updateX::updateX(
// CHECK-NEXT: cufuse_updateR::updateR(
// CHECK-NEXT: cufuse_direction::direction(
// One kernel may do both; what it kept goes on to others; and what is changed in place may be changed again.
// RUN: %cufuse fuse %t/kernels.cu:updateBoth %t/kernels.cu:direction %t/kernels.cu:clamp %t/kernels.cu:dot \
// RUN:   --link updateBoth.r=dot.a --link updateBoth.r=direction.r --link clamp.z=dot.b --link direction.z=clamp.z \
// RUN:   --link updateBoth.n=direction.n --link updateBoth.n=clamp.n --link updateBoth.n=dot.n --in-registers \
// RUN:   --distinct --block 64 --name every -o %t/every.cu
// What is loaded only where the other is, is made by then.
// RUN: %cufuse fuse %t/kernels.cu:updateBoth %t/kernels.cu:direction %t/kernels.cu:some --link updateBoth.r=some.a \
// RUN:   --link updateBoth.r=direction.r --link direction.z=some.b --link updateBoth.n=direction.n --dead direction.z \
// RUN:   --link updateBoth.n=some.n --in-registers --distinct --block 64 --name few -o %t/few.cu
// Of other elements, or where the reduction takes them in two places, each is not computed once:
// RUN: not %cufuse fuse %t/kernels.cu:updateX %t/kernels.cu:updateR %t/kernels.cu:dot --link updateR.r=dot.a \
// RUN:   --link updateR.r=dot.b --link updateR.n=dot.n --distinct --block 64 --in-registers -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=OTHER --input-file=%t/n
// OTHER: [DifferentBounds]
// RUN: not %cufuse fuse %t/kernels.cu:updateR %t/kernels.cu:next --link updateR.r=next.a --link updateR.r=next.b \
// RUN:   --link updateR.n=next.n --distinct --block 64 --in-registers -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=NEXT --input-file=%t/n
// NEXT: at loads: the intermediate would be computed where it is loaded, and would no longer be stored
// What is made at the loads of one array is made at none of another, if something of it stays.
// RUN: not %cufuse fuse %t/kernels.cu:updateBoth %t/kernels.cu:next --link updateBoth.x=next.b --link updateBoth.r=next.a \
// RUN:   --link updateBoth.n=next.n --distinct --block 64 --in-registers -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=PLACES --input-file=%t/n
// PLACES: at loads: the intermediate would be computed where it is loaded, and would no longer be stored
// An array that began elsewhere, or is stored elsewhere, than the one that is loaded:
// RUN: %cufuse fuse %t/kernels.cu:updateX %t/kernels.cu:direction %t/kernels.cu:dot --link updateX.x=direction.r \
// RUN:   --link updateX.n=direction.n --link direction.z=dot.a --link direction.n=dot.n --dead updateX.x \
// RUN:   --distinct --block 64 --in-registers --name began -o %t/began.cu
// RUN: %execute -I %t %t/main.cu %t/kernels.cu %t/both.cu %t/one.cu %t/every.cu %t/few.cu %t/began.cu

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
__global__ void updateBoth(double *x, double *r, const double *p, const double *q, double a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] += a * p[i];
    r[i] -= a * q[i];
  }
}
__global__ void clamp(double *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && z[i] > 2)
    z[i] = 2;
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
__global__ void some(const double *a, const double *b, double *partial, int n) {
  __shared__ double all[64];
  double mine = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
    const double own = a[i];
    if (own > 0)
      mine += own * b[i];
  }
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
void stepAll(double *x, double *r, const double *p, const double *q, double a, const double *d, double *z,
             double *partial, int n, int blocks) {
  updateBoth<<<(n + 63) / 64, 64>>>(x, r, p, q, a, n);
  direction<<<(n + 63) / 64, 64>>>(r, d, z, n);
  clamp<<<(n + 63) / 64, 64>>>(z, n);
  dot<<<blocks, 64>>>(r, z, partial, n);
}
void stepSome(double *x, double *r, const double *p, const double *q, double a, const double *d, double *z,
              double *partial, int n, int blocks) {
  updateBoth<<<(n + 63) / 64, 64>>>(x, r, p, q, a, n);
  direction<<<(n + 63) / 64, 64>>>(r, d, z, n);
  some<<<blocks, 64>>>(r, z, partial, n);
}
void stepBegan(double *x, const double *p, const double *rr, const double *pq, const double *d, double *z,
               const double *b, double *partial, int n, int blocks) {
  updateX<<<(n + 63) / 64, 64>>>(x, p, rr, pq, n);
  direction<<<(n + 63) / 64, 64>>>(x, d, z, n);
  dot<<<blocks, 64>>>(z, b, partial, n);
}

//--- main.cu
#include "began.h"
#include "both.h"
#include "every.h"
#include "few.h"
#include "one.h"
#include <cstdio>
#include <vector>
void step(double *, double *, const double *, const double *, const double *, double *, const double *, const double *,
          double *, int, int);
void stepAll(double *, double *, const double *, const double *, double, const double *, double *, double *, int, int);
void stepSome(double *, double *, const double *, const double *, double, const double *, double *, double *, int, int);
void stepBegan(double *, const double *, const double *, const double *, const double *, double *, const double *,
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
      stepAll(x[0], r[0], p, q, 0.25, d, z[0], partial[0], n, blocks);
      if (every::updateBoth_direction_clamp_dot::launch(dim3(blocks), x[1], r[1], p, q, 0.25, n, d, z[1], partial[1], 0) != cudaSuccess ||
          !same(x[0], x[1], n) || !same(r[0], r[1], n) || !same(z[0], z[1], n) || !same(partial[0], partial[1], blocks))
        return std::printf("every: %d elements, %d blocks differ\n", n, blocks), 1;
      stepSome(x[0], r[0], p, q, 0.75, d, z[0], partial[0], n, blocks);
      if (few::updateBoth_direction_some::launch(dim3(blocks), x[1], r[1], p, q, 0.75, n, d, nullptr, partial[1], 0) != cudaSuccess ||
          !same(x[0], x[1], n) || !same(r[0], r[1], n) || !same(partial[0], partial[1], blocks))
        return std::printf("few: %d elements, %d blocks differ\n", n, blocks), 1;
      stepBegan(x[0], p, rr, pq, d, z[0], q, partial[0], n, blocks);
      if (began::updateX_direction_dot::launch(dim3(blocks), x[1], p, rr, pq, n, d, z[1], q, partial[1], 0) != cudaSuccess ||
          !same(z[0], z[1], n) || !same(partial[0], partial[1], blocks))
        return std::printf("began: %d elements, %d blocks differ\n", n, blocks), 1;
    }
}
