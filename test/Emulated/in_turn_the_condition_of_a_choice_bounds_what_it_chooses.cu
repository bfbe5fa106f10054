// In turn, `i + 1 < S ? i + 1 : 0` stays below S: rows without gaps between them, of S elements each, are launched as one.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse --vertical %s:twice %s:next --link twice.y=next.y --link twice.S=next.S --link twice.P=next.P --block 32 \
// RUN:   --name shifted -o %t/shifted.cu 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: note: In turn, {{.*}} It can be launched with twice.S <= twice.P alone.
// RUN: %emulate --seed 1 --seed 2 -I %t -D FUSED %s %t/shifted.cu | FileCheck %s
// CHECK: 3 right, 1 declined
__global__ void twice(const float *x, float *y, int S, int P) {
  for (int i = blockIdx.x * P + threadIdx.x; i < blockIdx.x * P + S; i += blockDim.x)
    y[i] = x[i] * 2;
}
__global__ void next(const float *y, float *z, int S, int P) {
  for (int i = threadIdx.x; i < S; i += blockDim.x)
    z[blockIdx.x * S + i] = y[blockIdx.x * P + (i + 1 < S ? i + 1 : 0)];
}

#ifdef FUSED
#include "shifted.h"

#include <cstdio>

int main() {
  constexpr int rows = 3, most = 101;
  float x[rows * most], y[rows * most], z[rows * most];
  for (int i = 0; i < rows * most; ++i)
    x[i] = i;
  int right = 0, declined = 0;
  for (const int S : {1, 33, 100, 101}) {
    const int P = S == 101 ? 100 : S;
    if (shifted::twice_next::launch(rows, x, y, S, P, z) != cudaSuccess) {
      ++declined;
      continue;
    }
    bool same = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < rows * S; ++i)
      same &= z[i] == 2 * x[i / S * P + (i % S + 1) % S];
    right += same;
  }
  printf("%d right, %d declined\n", right, declined);
}
#endif
