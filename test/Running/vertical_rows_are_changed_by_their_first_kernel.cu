// A kernel that works on rows may change its row in place before another one takes it: the row is loaded into registers
// before it, in one turn of a loop or over several.
// RUN: split-file %s %t
// RUN: %cufuse fuse --vertical %t/kernels.cu:mask %t/kernels.cu:softmax --distinct --block 32 --in-registers --name one -o %t/one.cu
// RUN: %cufuse fuse --vertical %t/kernels.cu:mask %t/kernels.cu:softmax --distinct --block 32 --in-registers --reassociate \
// RUN:   --name wide -o %t/wide.cu
// RUN: %cufuse fuse %t/kernels.cu:softmax %t/kernels.cu:drop --link softmax.probs=drop.in --link softmax.columns=drop.columns \
// RUN:   --dead softmax.probs --distinct --block 32 --in-registers --name dead -o %t/dead.cu
// RUN: FileCheck %s --input-file=%t/one.cu
// RUN: %execute -I %t %t/main.cu %t/kernels.cu %t/one.cu %t/wide.cu %t/dead.cu
// CHECK: cufuseLoadRow(row, rowOf_scores, scores + first, length);
// CHECK: cufuse_mask::mask(row,
// CHECK-NEXT: cufuseStoreRow(row, rowOf_scores, scores + first, length);
// A block that may have no row loads none before:
// RUN: not %cufuse fuse %t/kernels.cu:guarded %t/kernels.cu:softmax --link guarded.scores=softmax.scores \
// RUN:   --link guarded.columns=softmax.columns --distinct --block 32 --in-registers -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=GUARDED --input-file=%t/n
// GUARDED: [IntermediateRead]
// Other elements than the thread's own are none of its registers:
// RUN: not %cufuse fuse %t/kernels.cu:shifted %t/kernels.cu:softmax --link shifted.scores=softmax.scores \
// RUN:   --link shifted.columns=softmax.columns --distinct --block 32 --in-registers -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=SHIFTED --input-file=%t/n
// SHIFTED: [IntermediateRead]

//--- kernels.cu
__global__ void mask(float *scores, const float *keep, float scale, int columns) {
  const size_t row = size_t(blockIdx.y * gridDim.x + blockIdx.x) * columns;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    scores[row + i] = scores[row + i] * scale - (keep[i] > 0.3f ? 0 : 50);
}
__global__ void guarded(float *scores, int rows, int columns) {
  if (blockIdx.x < rows)
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
      scores[blockIdx.x * columns + i] *= 2;
}
__global__ void shifted(float *scores, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    scores[blockIdx.x * columns + i] = scores[blockIdx.x * columns + columns - 1 - i];
}
// In probs first without their sum.
__global__ void softmax(float *probs, const float *scores, int columns) {
  __shared__ float each[32], most, all;
  const size_t row = size_t(blockIdx.y * gridDim.x + blockIdx.x) * columns;
  float mine = -1e30f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    mine = fmaxf(mine, scores[row + i]);
  each[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    most = each[0];
    for (int k = 1; k < blockDim.x; ++k)
      most = fmaxf(most, each[k]);
  }
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float e = exp2f(scores[row + i] - most);
    probs[row + i] = e;
    sum += e;
  }
  each[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    all = 0;
    for (int k = 0; k < blockDim.x; ++k)
      all += each[k];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    probs[row + i] *= 1 / all;
}
__global__ void drop(float *out, const float *in, int columns) {
  const size_t row = size_t(blockIdx.y * gridDim.x + blockIdx.x) * columns;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[row + i] = (row + i) * 2654435761u % 10 ? in[row + i] / 0.9f : 0;
}
void attend(float *scores, float *probs, const float *keep, int rows, int columns) {
  mask<<<dim3(rows, 2), 32>>>(scores, keep, 0.125f, columns);
  softmax<<<dim3(rows, 2), 32>>>(probs, scores, columns);
}
void dropped(float *scores, float *probs, float *out, int rows, int columns) {
  softmax<<<dim3(rows, 2), 32>>>(probs, scores, columns);
  drop<<<dim3(rows, 2), 32>>>(out, probs, columns);
}

//--- main.cu
#include "dead.h"
#include "one.h"
#include "wide.h"
#include <cmath>
#include <cstdio>
#include <vector>
void attend(float *, float *, const float *, int, int);
void dropped(float *, float *, float *, int, int);
static float *made(size_t n, int seed) {
  std::vector<float> host(n);
  for (size_t i = 0; i < n; ++i)
    host[i] = (i * 7919 + seed * 131) % 997 / 50.f;
  float *at;
  cudaMalloc(&at, n * sizeof(float));
  cudaMemcpy(at, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  return at;
}
static bool same(const float *x, const float *y, size_t n, float within = 0) {
  std::vector<float> a(n), b(n);
  cudaMemcpy(a.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(b.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < n; ++i)
    if (!(std::fabs(a[i] - b[i]) <= within * std::fabs(a[i])))
      return false;
  return true;
}
#define REQUIRE(condition)                                                                                             \
  if (!(condition)) {                                                                                                  \
    std::printf("%d columns: %s\n", columns, #condition);                                                              \
    return 1;                                                                                                          \
  }
int main() {
  for (int columns : {1, 31, 32, 64, 100, 128, 1000, 1100, 5000}) {
    const int rows = 2;
    const size_t n = 2 * rows * size_t(columns);
    float *keep = made(columns, 1), *scores[3], *probs[3], *out[2];
    for (int k = 0; k < 3; ++k)
      scores[k] = made(n, 2), probs[k] = made(n, 3 + k);
    for (int k = 0; k < 2; ++k)
      out[k] = made(n, 7 + k);
    attend(scores[0], probs[0], keep, rows, columns);
    REQUIRE(one::mask_softmax::launch(dim3(rows, 2), scores[1], keep, 0.125f, columns, probs[1], 0) == cudaSuccess);
    REQUIRE(wide::mask_softmax::launch(dim3(rows, 2), scores[2], keep, 0.125f, columns, probs[2], 0) == cudaSuccess);
    REQUIRE(same(scores[0], scores[1], n) && same(probs[0], probs[1], n));
    REQUIRE(same(scores[0], scores[2], n) && same(probs[0], probs[2], n, 1e-5f));
    dropped(scores[0], probs[0], out[0], rows, columns);
    REQUIRE(dead::softmax_drop::launch(dim3(rows, 2), probs[1], scores[0], columns, out[1], 0) == cudaSuccess);
    REQUIRE(same(out[0], out[1], n));
  }
}
