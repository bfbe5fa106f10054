// Kernels that load first and guard the store alone: launched on whole blocks, they load nothing behind their arrays.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:add %s:scale4 --link add.c=scale4.x --link add.n=scale4.n --block 64 --name groups -o %t/groups.cu
// RUN: %cufuse fuse %s:loadFirst %s:relu4 --link loadFirst.c=relu4.x --link loadFirst.n=relu4.n --dead loadFirst.c --block 64 \
// RUN:   --name singles -o %t/singles.cu
// RUN: %emulate --seed 1 --seed 2 -I %t -D FUSED %s %t/groups.cu %t/singles.cu | FileCheck %s
// CHECK: 2 right
__global__ void add(const float *a, float *c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + 1;
}
__global__ void scale4(const float *x, const float *s, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = reinterpret_cast<const float4 *>(x)[i];
  const float4 by = reinterpret_cast<const float4 *>(s)[i];
  v.x *= by.x, v.y *= by.y, v.z *= by.z, v.w *= by.w;
  if (4 * i < n)
    reinterpret_cast<float4 *>(y)[i] = v;
}
__global__ void loadFirst(const float *a, float *c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = a[i];
  if (i < n)
    c[i] = v + 1;
}
__global__ void relu4(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i < n) {
    float4 v = reinterpret_cast<const float4 *>(x)[i];
    v.x = fmaxf(v.x, 0), v.y = fmaxf(v.y, 0), v.z = fmaxf(v.z, 0), v.w = fmaxf(v.w, 0);
    reinterpret_cast<float4 *>(y)[i] = v;
  }
}

#ifdef FUSED
#include "groups.h"
#include "singles.h"

#include <cstdio>
#include <sys/mman.h>

constexpr int n = 1024; // the arrays end where their pages do

/// n floats with nothing behind them.
static float *array() {
  char *pages = static_cast<char *>(
      mmap(nullptr, n * sizeof(float) + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(pages + n * sizeof(float), 4096, PROT_NONE);
  return reinterpret_cast<float *>(pages);
}

int main() {
  float *a = array(), *c = array(), *s = array(), *y = array(), *z = array();
  for (int i = 0; i < n; ++i)
    a[i] = i - 8.0f, s[i] = 2;
  if (groups::add_scale4::launch(a, c, n, s, y) != cudaSuccess ||
      singles::loadFirst_relu4::launch(a, c, n, z) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  bool right[] = {true, true};
  for (int i = 0; i < n; ++i)
    right[0] &= y[i] == 2 * (a[i] + 1), right[1] &= z[i] == fmaxf(a[i] + 1, 0);
  printf("%d right\n", right[0] + right[1]);
}
#endif
