// In turn by threads, kernels that leave out borders of other widths: the widest of their ranges makes elements a
// thread's own, whatever the width of the image is to the block. So does one that begins elsewhere.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse --vertical %t/steps.cu:all %t/steps.cu:inside --block 16x4 --name narrower -o %t/narrower.cu
// RUN: %cufuse fuse --vertical %t/steps.cu:inside %t/steps.cu:all --block 16x4 --name wider -o %t/wider.cu
// RUN: %cufuse fuse --vertical %t/steps.cu:all %t/steps.cu:within --block 16x4 --name given -o %t/given.cu
// RUN: %cufuse fuse --vertical %t/steps.cu:bonds %t/steps.cu:forces --block 64 --name listed -o %t/listed.cu
// RUN: %execute -D SAMPLE_NO_MAIN -I %S/Inputs -I %t -I %samples/elementwise %t/main.cu %t/narrower.cu %t/wider.cu %t/given.cu %t/listed.cu

//--- steps.cu
__global__ void all(const float *a, float *c, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    c[y * w + x] = c[y * w + x] * 0.5f + a[y * w + x];
}
__global__ void inside(const float *b, float *c, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
    c[y * w + x] += b[y * w + x - 1] + b[(y + 1) * w + x];
}
__global__ void within(const float *b, float *c, int w, int h, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= radius && x < w - radius && y >= radius && y < h - radius)
    c[y * w + x] += b[y * w + x - radius] + b[(y + radius) * w + x];
}
__global__ void bonds(const float *x, float *b, int number, int first, int end) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x + first;
  if (n < end)
    for (int i = 0; i < 5; ++i)
      b[i * number + n] = x[n] * i;
}
__global__ void forces(const float *b, float *f, int number, int first, int end) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x + first;
  if (n < end) {
    float sum = 0;
    for (int i = 0; i < 5; ++i)
      sum += b[i * number + n];
    f[n] = sum;
  }
}
void lists(const float *x, float *b, float *f, int number, int first, int end) {
  bonds<<<(end - first - 1) / 64 + 1, 64>>>(x, b, number, first, end);
  forces<<<(end - first - 1) / 64 + 1, 64>>>(b, f, number, first, end);
}
void launches(const float *a, const float *b, float *c, int w, int h, int radius, dim3 grid) {
  all<<<grid, dim3(16, 4)>>>(a, c, w, h);
  inside<<<grid, dim3(16, 4)>>>(b, c, w, h);
  all<<<grid, dim3(16, 4)>>>(a, c, w, h);
  within<<<grid, dim3(16, 4)>>>(b, c, w, h, radius);
}

//--- main.cu
#include "both.h"

#include "steps.cu"

#include "given.h"
#include "listed.h"
#include "narrower.h"
#include "wider.h"

int main() {
  bool good = true;
  const dim3 block(16, 4);
  for (const int w : {16, 37, 5, 2})
    for (const int h : {8, 11}) {
      const dim3 grid((w + 15) / 16, (h + 3) / 4);
      Array<float> a(w * h, 9), b(w * h, 4), c(w * h, 5);
      Both both;
      both.output("c", c);
      auto fill = [&](auto &given) { given.a = a, given.b = b, given.w = w, given.h = h; };
      good &= both.same(
          "narrower",
          [&] {
            all<<<grid, block>>>(a, c, w, h);
            inside<<<grid, block>>>(b, c, w, h);
          },
          [&] {
            narrower::all_inside::Launch launch{};
            launch.grid = grid;
            fill(launch.arguments);
            launch.arguments.all_c = c;
            require(narrower::launch(launch), "narrower");
          });
      good &= both.same(
          "wider",
          [&] {
            inside<<<grid, block>>>(b, c, w, h);
            all<<<grid, block>>>(a, c, w, h);
          },
          [&] {
            wider::inside_all::Launch launch{};
            launch.grid = grid;
            fill(launch.arguments);
            launch.arguments.inside_c = c;
            require(wider::launch(launch), "wider");
          });
      for (const int radius : {0, 1, 3})
        good &= both.same(
            "given",
            [&] {
              all<<<grid, block>>>(a, c, w, h);
              within<<<grid, block>>>(b, c, w, h, radius);
            },
            [&] {
              given::all_within::Launch launch{};
              launch.grid = grid;
              fill(launch.arguments);
              launch.arguments.all_c = c, launch.arguments.radius = radius;
              require(given::launch(launch), "given");
            });
    }
  for (const int first : {0, 3, 60}) {
    const int number = 150, end = 131;
    Array<float> x(number, 5), b(5 * number, 4), f(number, 7);
    Both both;
    both.output("b", b);
    both.output("f", f);
    const dim3 grid((end - first - 1) / 64 + 1);
    good &= both.same(
        "listed",
        [&] {
          bonds<<<grid, 64>>>(x, b, number, first, end);
          forces<<<grid, 64>>>(b, f, number, first, end);
        },
        [&] {
          listed::bonds_forces::Launch launch{};
          launch.grid = grid;
          auto &given = launch.arguments;
          given.x = x, given.b = b, given.f = f, given.number = number, given.bonds_first = first, given.end = end;
          require(listed::launch(launch), "listed");
        });
  }
  return good ? 0 : 1;
}
