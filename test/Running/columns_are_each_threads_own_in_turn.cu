// Elements at [k * width + thread] are one thread's for any k, so that kernels may go over their columns in any order: one
// by one, in pairs, backwards, or with the elements above and below.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:draw kernels.cu:pairs --distinct --name drawn -o drawn.cu 2>&1 | FileCheck %s
// CHECK: note: In turn, a thread its part of every kernel: draw, then pairs. In memory: draw.values.
// RUN: %cufuse fuse --vertical kernels.cu:forwards kernels.cu:backwards --distinct --name solved -o solved.cu 2>&1 | FileCheck %s --check-prefix=SOLVED
// SOLVED: note: In turn, a thread its part of every kernel: forwards, then backwards. In memory: forwards.c.
// RUN: %cufuse fuse --vertical kernels.cu:upwards kernels.cu:downwards --distinct --name strided -o strided.cu 2>&1 | FileCheck %s --check-prefix=STRIDED
// STRIDED: note: In turn, a thread its part of every kernel: upwards, then downwards. In memory: upwards.c.
// RUN: %execute -I %S/Inputs -I . main.cu drawn.cu solved.cu strided.cu
// Neighbours in a row are other threads'; of rows, other threads have elements so far apart.
// RUN: %exits 1 %cufuse fuse --vertical kernels.cu:forwards kernels.cu:beside --distinct -o no.cu 2>&1 | FileCheck %s --check-prefix=NO
// RUN: %exits 1 %cufuse fuse --vertical kernels.cu:rows kernels.cu:nextOfRows --distinct -o no.cu 2>&1 | FileCheck %s --check-prefix=NO
// NO: in turn: a block may use what another kernel stores, or still needs, in another block

//--- kernels.cu
__global__ void draw(unsigned *values, const unsigned *seeds, const int each) {
  const int id = blockDim.x * blockIdx.x + threadIdx.x;
  unsigned state = seeds[id];
  for (int k = 0; k < each; k++) {
    state = state * 1664525u + 1013904223u;
    values[id + k * 1024] = state >> 8;
  }
}
__device__ void swapHalves(unsigned *a, unsigned *b) {
  const unsigned first = *a;
  *a = (first & 0xffff) | (*b << 16);
  *b = (first >> 16) ^ *b;
}
__global__ void pairs(unsigned *values, const int each) {
  const int id = blockDim.x * blockIdx.x + threadIdx.x;
  for (int k = 0; k < each; k += 2)
    swapHalves(&values[id + (k + 0) * 1024], &values[id + (k + 1) * 1024]);
}

__global__ void forwards(const float *a, float *c, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width)
    return;
  float last = 0;
  for (int y = 0; y < height; ++y) {
    last = a[y * width + x] - 0.5f * last;
    c[y * width + x] = last;
  }
}
__global__ void backwards(const float *c, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width)
    return;
  out[(height - 1) * width + x] = c[(height - 1) * width + x];
  for (int y = height - 2; y >= 0; --y)
    out[y * width + x] = c[y * width + x] - 0.25f * c[(y + 1) * width + x];
}
__global__ void upwards(const float *a, float *c, int width, int height) {
  for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < width; x += gridDim.x * blockDim.x) {
    float last = 0;
    for (int y = 0; y < height; ++y) {
      last = a[y * width + x] - 0.5f * last;
      c[y * width + x] = last;
    }
  }
}
__global__ void downwards(float *c, int width, int height) {
  for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < width; x += gridDim.x * blockDim.x)
    for (int y = height - 2; y >= 0; --y)
      c[y * width + x] -= 0.25f * c[(y + 1) * width + x];
}
__global__ void beside(const float *c, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width - 1)
    return;
  for (int y = 0; y < height; ++y)
    out[y * width + x] = c[y * width + x + 1];
}
__global__ void rows(const float *a, float *c, int width, int height) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < height)
    for (int x = 0; x < width; ++x)
      c[y * width + x] = a[y * width + x];
}
__global__ void nextOfRows(const float *c, float *out, int width, int height) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < height)
    for (int x = 0; x < width; ++x)
      out[y * width + x] = c[y * width + x + 3];
}

inline void makeDrawn(unsigned *values, const unsigned *seeds, int each) {
  draw<<<1024 / 64, 64>>>(values, seeds, each);
  pairs<<<1024 / 64, 64>>>(values, each);
}
inline void solve(const float *a, float *c, float *out, int width, int height) {
  forwards<<<(width + 31) / 32, 32>>>(a, c, width, height);
  backwards<<<(width + 31) / 32, 32>>>(c, out, width, height);
}
inline void solveStrided(const float *a, float *c, int width, int height) {
  upwards<<<2, 16>>>(a, c, width, height);
  downwards<<<2, 16>>>(c, width, height);
}
inline void no(const float *a, float *c, float *out, int width, int height) {
  forwards<<<(width + 31) / 32, 32>>>(a, c, width, height);
  beside<<<(width + 31) / 32, 32>>>(c, out, width, height);
}
inline void noRows(const float *a, float *c, float *out, int width, int height) {
  rows<<<(height + 31) / 32, 32>>>(a, c, width, height);
  nextOfRows<<<(height + 31) / 32, 32>>>(c, out, width, height);
}

//--- main.cu
#include "both.h"

#include "drawn.h"
#include "kernels.cu"
#include "solved.h"
#include "strided.h"

int main() {
  bool good = true;
  Array<unsigned> seeds(1024, 900), values(1024 * 7);
  for (const int each : {2, 6}) {
    Both both;
    both.output("values", values);
    good &= both.same(
        "drawn", [&] { makeDrawn(values, seeds, each); },
        [&] { require(drawn::draw_pairs::launch(16, 64, values, seeds, each, nullptr), "drawn"); });
  }
  // A thread more than there are columns.
  good &= drawn::draw_pairs::launch(17, 64, values, seeds, 2, nullptr) == cudaErrorInvalidConfiguration;
  const int sizes[][2] = {{1, 1}, {33, 1}, {31, 5}, {64, 8}};
  for (const auto &size : sizes) {
    const int width = size[0], height = size[1];
    Array<float> a(width * height, 9), c(width * height), out(width * height);
    Both both;
    both.output("c", c), both.output("out", out);
    good &= both.same(
        "solved", [&] { solve(a, c, out, width, height); },
        [&] {
          require(solved::forwards_backwards::launch((width + 31) / 32, 32, a, c, width, height, out, nullptr),
                  "solved");
        });
    Both inPlace;
    inPlace.output("c", c);
    good &= inPlace.same(
        "strided", [&] { solveStrided(a, c, width, height); },
        [&] { require(strided::upwards_downwards::launch(2, 16, a, c, width, height, nullptr), "strided"); });
  }
  return good ? 0 : 1;
}
