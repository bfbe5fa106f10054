// A kernel that changes an array in place and whose result nobody takes, before or behind a reduction at whose loads it is
// computed: what it makes is in memory in the end, and the reduction takes what was there when it was launched.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical a.cu:addTo a.cu:total a.cu:twice --block 64 --name behind -o behind.cu
// RUN: %cufuse fuse --vertical a.cu:step a.cu:decay a.cu:total --block 64 --name ahead -o ahead.cu
// RUN: %cufuse fuse --vertical a.cu:addTo a.cu:total a.cu:clear --block 64 --name cleared -o cleared.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/behind.cu %t/ahead.cu %t/cleared.cu

//--- a.cu
#pragma once
__global__ void addTo(float *x, const float *u, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += u[i];
}
__global__ void step(float *x, float *w, const float *u, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] += u[i];
    w[i] -= u[i];
  }
}
__global__ void total(const float *x, float *z, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  atomicAdd(z, sum);
}
__global__ void twice(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 2;
}
__global__ void decay(float *w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && w[i] > 0)
    w[i] *= 3;
}
__global__ void clear(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 0;
}
inline void runBehind(float *x, const float *u, float *z, int n) {
  addTo<<<n / 64 + 1, 64>>>(x, u, n);
  total<<<4, 64>>>(x, z, n);
  twice<<<n / 64 + 1, 64>>>(x, n);
}
inline void runAhead(float *x, float *w, const float *u, float *z, int n) {
  step<<<n / 64 + 1, 64>>>(x, w, u, n);
  decay<<<n / 64 + 1, 64>>>(w, n);
  total<<<4, 64>>>(x, z, n);
}
inline void runCleared(float *x, const float *u, float *z, int n) {
  addTo<<<n / 64 + 1, 64>>>(x, u, n);
  total<<<4, 64>>>(x, z, n);
  clear<<<n / 64 + 1, 64>>>(x, n);
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "ahead.h"
#include "behind.h"
#include "cleared.h"

int main() {
  bool good = true;
  Array<float> x(700, 5), w(700, 9), u(700, 7), z(1, 2);
  for (const int n : {2, 63, 300, 700}) {
    Both of;
    of.output("x", x), of.output("z", z);
    good &= of.same(
        "behind", [&] { runBehind(x, u, z, n); },
        [&] { require(behind::addTo_total_twice::launch(dim3(4), x, u, n, z, nullptr), "behind"); });
    good &= of.same(
        "cleared", [&] { runCleared(x, u, z, n); },
        [&] { require(cleared::addTo_total_clear::launch(dim3(4), x, u, n, z, nullptr), "cleared"); });
    of.output("w", w);
    good &= of.same(
        "ahead", [&] { runAhead(x, w, u, z, n); },
        [&] { require(ahead::step_decay_total::launch(dim3(4), x, w, u, n, z, nullptr), "ahead"); });
  }
  return good ? 0 : 1;
}
