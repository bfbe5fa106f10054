// Groups of 32 elements by the warps of a flat grid are all elements, each once: what is kept is made where they are
// quantised. A launch of which the flat number loses bits is refused.
// RUN: split-file %s %t
// RUN: %cufuse fuse --vertical %t/kernels.cu:gate %t/kernels.cu:quantise --link 'quantise.32*groups=gate.n' --distinct --block 128 \
// RUN:   --in-registers --name lanes -o %t/lanes.cu
// RUN: FileCheck %s --input-file=%t/lanes.cu
// RUN: %execute -I %t %t/main.cu %t/kernels.cu %t/lanes.cu
// One load for each element needs no look at what was made last:
// CHECK: void make(const long long element) {
// CHECK-NEXT: float made_gate_out;
// CHECK: 128ll * grid.x > 2147483647ll

//--- kernels.cu
__global__ void gate(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] / (1 + in[i] * in[i]);
}
__global__ void quantise(const float *x, signed char *q, float *scales, int groups) {
  int g = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (g >= groups)
    return;
  float v = x[g * 32 + lane], most = v < 0 ? -v : v;
  for (int step = 16; step > 0; step /= 2) {
    float other = __shfl_xor_sync(0xffffffffu, most, step);
    most = other > most ? other : most;
  }
  q[g * 32 + lane] = static_cast<signed char>(v / most * 127);
  if (lane == 0)
    scales[g] = most / 127;
}
void run(const float *in, float *mid, signed char *q, float *scales, int n) {
  gate<<<(n + 127) / 128, 128>>>(in, mid, n);
  quantise<<<(n / 32 + 3) / 4, 128>>>(mid, q, scales, n / 32);
}

//--- main.cu
#include "lanes.h"
#include <cstdio>
#include <vector>
void run(const float *, float *, signed char *, float *, int);
template <typename T> static bool same(const T *x, const T *y, size_t n) {
  std::vector<T> a(n), b(n);
  cudaMemcpy(a.data(), x, n * sizeof(T), cudaMemcpyDeviceToHost);
  cudaMemcpy(b.data(), y, n * sizeof(T), cudaMemcpyDeviceToHost);
  return a == b;
}
int main() {
  for (int groups : {1, 3, 4, 9, 20}) {
    const int n = 32 * groups;
    std::vector<float> host(n);
    for (int i = 0; i < n; ++i)
      host[i] = (i * 7919 % 997 - 498) / 64.0f + 0.001f;
    float *in, *mid[2], *scales[2];
    signed char *q[2];
    cudaMalloc(&in, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int k = 0; k < 2; ++k) {
      cudaMalloc(&mid[k], n * sizeof(float));
      cudaMalloc(&scales[k], groups * sizeof(float));
      cudaMalloc(&q[k], n);
    }
    run(in, mid[0], q[0], scales[0], n);
    if (lanes::gate_quantise::launch(dim3((groups + 3) / 4), in, mid[1], q[1], scales[1], groups, 0) != cudaSuccess)
      return std::printf("%d groups: not launched\n", groups), 1;
    if (!same(mid[0], mid[1], n) || !same(q[0], q[1], n) || !same(scales[0], scales[1], groups))
      return std::printf("%d groups differ\n", groups), 1;
  }
}
