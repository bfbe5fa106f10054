// A loop that begins and ends at one of several numbers, as that of a box filter, has a range: no --distinct is needed.
// An unsigned index that counts down wraps for nobody below the bound, and the rest of a group may be stored twice.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:byMax %s:twice --link byMax.out=twice.in --link byMax.n=twice.n --block 64 --name mostly -o %t/mostly.cu
// RUN: %cufuse fuse %s:byIf %s:twice --link byIf.out=twice.in --link byIf.n=twice.n --block 64 --name chosen -o %t/chosen.cu
// RUN: %cufuse fuse %s:window %s:heat --link window.out=heat.by --link window.width=heat.width \
// RUN:   --link window.height=heat.height --block 16x4 --name two -o %t/two.cu
// RUN: %cufuse fuse %s:reversed %s:twice --link reversed.out=twice.in --link reversed.n=twice.n --block 64 --name down \
// RUN:   -o %t/down.cu
// RUN: %cufuse fuse %s:scaleAndAdd %s:twice --link scaleAndAdd.x=twice.in --link scaleAndAdd.n=twice.n --block 64 \
// RUN:   --in-registers --name again -o %t/again.cu
// RUN: %cufuse fuse %s:delayed %s:twice --link delayed.out=twice.in --link delayed.n=twice.n --block 64 --name late -o %t/late.cu
// RUN: %emulate --seed 1 --seed 2 -I %t -D FUSED %s %t/mostly.cu %t/chosen.cu %t/two.cu %t/down.cu %t/again.cu %t/late.cu | \
// RUN:   FileCheck %s --check-prefix=SAME
// SAME: apart: 0 0 0 0 0
// SAME-NEXT: meet: 9 9 9 9 9
// SAME-NEXT: 17 same
//
// Where it begins in memory is not known, and so is the range; and a store in a loop that may have no turn makes no
// element.
// RUN: %exits 1 %cufuse fuse %s:rowsOf %s:twice --link rowsOf.out=twice.in --link rowsOf.n=twice.n --block 64 -o %t/no.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MEMORY
// MEMORY: rowsOf: in[k] {{.*}} [MayAlias]
// RUN: %exits 1 %cufuse fuse %s:sometimes %s:twice --link sometimes.out=twice.in --link sometimes.n=twice.n --distinct \
// RUN:   --in-registers --block 64 -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=SOMETIMES
// SOMETIMES: [StoredSometimes]
// RUN: %cufuse fuse %s:sometimes %s:fill --link sometimes.n=fill.n --distinct --block 64 --name kept -o %t/kept.cu
// RUN: FileCheck %s --input-file %t/kept.cu --check-prefix=KEPT
// KEPT-NOT: cufuse_sometimes_out

__global__ void byMax(const float *in, float *out, int n, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n)
    return;
  float sum = 0;
  for (int k = max(x - radius, 0); k < min(x + radius + 1, n); ++k)
    sum += in[k];
  out[x] = sum;
}
__global__ void byIf(const float *in, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n)
    return;
  int from = x - 3, last = x + 2 < n ? x + 2 : n - 1;
  if (from < 0)
    from = 0;
  float sum = 0;
  int k = from;
  while (k <= last) {
    sum += in[k];
    ++k;
  }
  out[x] = sum;
}
__global__ void window(const float *in, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int j = max(y - 1, 0); j < min(y + 2, height); ++j)
    for (int i = x > 0 ? x - 1 : 0; i <= min(x + 1, width - 1); ++i)
      sum += in[j * width + i];
  out[y * width + x] = sum;
}
__global__ void heat(float *inner, const float *by, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    inner[y * width + x] += 0.25f * by[y * width + x];
}
__global__ void twice(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
__global__ void reversed(const float *in, float *out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1u - i];
}
__global__ void delayed(const float *in, float *out, unsigned n, unsigned by) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i < by ? 0 : i - by];
}
__global__ void scaleAndAdd(float *x, float a, float b, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    float4 v = *reinterpret_cast<float4 *>(x + i);
    v.x = v.x * a + b;
    v.y = v.y * a + b;
    v.z = v.z * a + b;
    v.w = v.w * a + b;
    *reinterpret_cast<float4 *>(x + i) = v;
  } else
    for (int k = i; k < n; ++k) {
      x[k] *= a;
      x[k] += b;
    }
}

__global__ void rowsOf(const int *begin, const float *in, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n)
    return;
  float sum = 0;
  for (int k = begin[x]; k < begin[x + 1]; ++k)
    sum += in[k];
  out[x] = sum;
}
__global__ void sometimes(const int *count, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < count[i]; ++k)
      out[i] = k;
}
__global__ void fill(float *all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    all[i] = i;
}

#ifdef FUSED
#include "again.h"
#include "chosen.h"
#include "down.h"
#include "late.h"
#include "mostly.h"
#include "two.h"

#include "Inputs/arrays.h"

int main() {
  const int n = 300;
  Array a(n, 1), b(n, 2), c(n, 3);
  // What is loaded ends where the next array begins, and no element later.
  auto Mostly = [&](int count, int radius, float *in, float *out) {
    return mostly::byMax_twice::launch(in, out, count, radius, c.at);
  };
  auto Chosen = [&](int count, float *in, float *out) { return chosen::byIf_twice::launch(in, out, count, c.at); };
  auto Two = [&](float *in, float *out) { return two::window_heat::launch(dim3(2, 3), in, out, 19, 9, c.at); };
  auto Down = [&](int count, float *in, float *out) { return down::reversed_twice::launch(in, out, count, c.at); };
  auto Late = [&](int count, unsigned by, float *in, float *out) {
    return late::delayed_twice::launch(in, out, count, by, c.at);
  };
  std::printf("apart: %d %d %d %d %d\n", Mostly(99, 2, a.at, a.at + 99), Chosen(99, a.at, a.at + 99), Two(a.at, b.at),
              Down(99, a.at, a.at + 99), Late(99, 3, a.at, a.at + 96));
  std::printf("meet: %d %d %d %d %d\n", Mostly(99, 2, a.at, a.at + 98), Chosen(99, a.at, a.at + 98),
              Two(a.at, a.at + 19 * 9 - 1), Down(99, a.at, a.at + 98), Late(99, 3, a.at, a.at + 95));
  for (int count : {0, 1, 4, 6, 251}) {
    compare(
        "mostly", {&b, &c},
        [&] {
          byMax<<<5, 64>>>(a.at, b.at, count, 2);
          twice<<<5, 64>>>(b.at, c.at, count);
        },
        [&] { return Mostly(count, 2, a.at, b.at); });
    compare(
        "chosen", {&b, &c},
        [&] {
          byIf<<<5, 64>>>(a.at, b.at, count);
          twice<<<5, 64>>>(b.at, c.at, count);
        },
        [&] { return Chosen(count, a.at, b.at); });
    compare(
        "down", {&b, &c},
        [&] {
          reversed<<<5, 64>>>(a.at, b.at, count);
          twice<<<5, 64>>>(b.at, c.at, count);
        },
        [&] { return Down(count, a.at, b.at); });
  }
  compare(
      "two", {&b, &c},
      [&] {
        window<<<dim3(2, 3), dim3(16, 4)>>>(a.at, b.at, 19, 9);
        heat<<<dim3(2, 3), dim3(16, 4)>>>(c.at, b.at, 19, 9);
      },
      [&] { return Two(a.at, b.at); });
  compare(
      "again", {&b, &c},
      [&] {
        scaleAndAdd<<<2, 64>>>(b.at, 3, -7, 275);
        twice<<<5, 64>>>(b.at, c.at, 275);
      },
      [&] { return again::scaleAndAdd_twice::launch(b.at, 3, -7, 275, c.at); });
  std::printf("%d same\n", same);
}
#endif
