// What stands in a condition, and in the body of `do … while (0)` that nothing leaves, is always run: arrays that are
// allocated there are the same behind it. What a branch may leave out is not.
// RUN: %cufuse fuse --vertical %s:half %s:once --distinct --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=ONCE
// ONCE: linked as launched at {{.*}}: --link half.n=once.n --link half.y=once.y
// RUN: %cufuse fuse --vertical %s:half %s:asked --distinct --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED: linked as launched at {{.*}}: --link half.n=asked.n --link half.y=asked.y
// RUN: %exits 1 %cufuse fuse --vertical %s:half %s:left --distinct -o %t.cu 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %exits 1 %cufuse fuse --vertical %s:half %s:both --distinct -o %t.cu 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: it is not seen whether the launches at {{.*}} share an array that one of them stores
#include <cstdio>
#include <cstdlib>
#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    cudaError_t error = (call);                                                                                        \
    if (error != cudaSuccess) {                                                                                        \
      fprintf(stderr, "%s\n", cudaGetErrorString(error));                                                              \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)
#define ADD(name)                                                                                                      \
  __global__ void name(int n, const float *y, float *z) {                                                              \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                               \
    if (i < n)                                                                                                         \
      z[i] = y[i] + 1;                                                                                                 \
  }
ADD(once)
ADD(asked)
ADD(left)
ADD(both)
__global__ void half(int n, const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 0.5f * x[i];
}

void runOnce(int n) {
  float *x, *y, *z;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMalloc(&y, n * sizeof(float)));
  CHECK(cudaMalloc(&z, n * sizeof(float)));
  for (int step = 0; step < 10; step++) {
    half<<<(n + 255) / 256, 256>>>(n, x, y);
    once<<<(n + 255) / 256, 256>>>(n, y, z);
  }
}
int runAsked(int n) {
  float *x, *y, *z;
  if (cudaMalloc(&x, n * sizeof(float)))
    return 1;
  if (cudaMalloc(&y, n * sizeof(float)) != cudaSuccess)
    return 1;
  if (cudaError_t error = cudaMalloc(&z, n * sizeof(float)))
    return error;
  half<<<(n + 255) / 256, 256>>>(n, x, y);
  asked<<<(n + 255) / 256, 256>>>(n, y, z);
  return 0;
}
void runLeft(int n, float *x, float *y, bool isOther) {
  float *z;
  cudaMalloc(&z, n * sizeof(float));
  do {
    if (isOther)
      break;
    z = y;
  } while (0);
  half<<<(n + 255) / 256, 256>>>(n, x, y);
  left<<<(n + 255) / 256, 256>>>(n, x, z);
}
void runBoth(int n, float *x, float *y, bool isOther) {
  float *z;
  cudaMalloc(&z, n * sizeof(float));
  if (isOther && (z = y))
    return;
  half<<<(n + 255) / 256, 256>>>(n, x, y);
  both<<<(n + 255) / 256, 256>>>(n, x, z);
}
