// An array may be `float4 *` to one kernel and `float *` to the next, as programs launch them by reinterpret_cast: its
// elements are those of the kernel that has the smallest, and the other one takes several of them at a time.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:scale %s:relu --link scale.out=relu.in --link 'scale.4*quads=relu.n' --dead scale.out --block 64 \
// RUN:   --in-registers --name dead -o %t/dead.cu
// RUN: %cufuse fuse %s:scale %s:relu --link scale.out=relu.in --link 'scale.4*quads=relu.n' --block 64 --in-registers \
// RUN:   --name live -o %t/live.cu
// RUN: %cufuse fuse %s:relu %s:byMembers %s:relu --link relu_0.out=byMembers.in --link 'byMembers.4*quads=relu_0.n' \
// RUN:   --link byMembers.out=relu_1.in --link relu_0.n=relu_1.n --dead relu_0.out --block 64 --vectorize 8 \
// RUN:   --in-registers --name between -o %t/between.cu
// RUN: %cufuse fuse %s:addTo %s:reluInPlace --link addTo.x=reluInPlace.x --link 'addTo.4*quads=reluInPlace.n' --block 64 \
// RUN:   --in-registers --name inPlace -o %t/inPlace.cu
// RUN: %cufuse fuse %s:twice %s:addPairs %s:halves --link twice.out=addPairs.in --link 'twice.4*octets=addPairs.pairs' \
// RUN:   --link addPairs.out=halves.in --link 'twice.8*octets=halves.n' --dead addPairs.out --block 64 --name pairs \
// RUN:   -o %t/pairs.cu
// RUN: %cufuse fuse %s:scale %s:sumOfRow --link scale.out=sumOfRow.in --block 64 --name rows -o %t/rows.cu
// RUN: %cufuse fuse %s:move %s:lengths --link move.out=lengths.p --link move.n=lengths.n --block 64 --name points \
// RUN:   -o %t/points.cu
// RUN: %cufuse fuse %s:tile %s:relu --link tile.c=relu.in --link 'tile.4*width*width=relu.n' --block 64 --name stores \
// RUN:   -o %t/stores.cu
// What loads several at a time has them computed one by one, but for what is kept: that is stored once.
// RUN: %cufuse fuse %s:relu %s:sumOfQuads --link relu.out=sumOfQuads.in --dead relu.out --recompute any --block 64 --in-registers \
// RUN:   --name loads -o %t/loads.cu
// RUN: %exits 1 %cufuse fuse %s:relu %s:sumOfQuads --link relu.out=sumOfQuads.in --recompute any --block 64 --in-registers \
// RUN:   -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: at loads: the intermediate would be computed where it is loaded, and would no longer be stored;
// RUN: %emulate --seed 1 --seed 2 -I %t -D FUSED %s %t/dead.cu %t/live.cu %t/between.cu %t/inPlace.cu %t/pairs.cu \
// RUN:   %t/rows.cu %t/points.cu %t/stores.cu %t/loads.cu | FileCheck %s --check-prefix=SAME
// SAME: 13 same
//
// As they are launched:
// RUN: %cufuse fuse %s:scale %s:relu --vertical --block 64 --dry-run -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=LAUNCHED
// LAUNCHED: linked as launched at {{.*}} --link scale.out=relu.in --link scale.quads*4=relu.n
//
// The numbers of elements must be known to be equal, and who has them by an array of another type in between must have
// one type.
// RUN: %exits 1 %cufuse fuse %s:scale %s:relu --link scale.out=relu.in --link scale.quads=relu.n --in-registers --block 64 \
// RUN:   -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: [DifferentBounds]
// RUN: %exits 1 %cufuse fuse %s:numbers %s:addTo %s:reluInPlace --link numbers.out=addTo.x --link addTo.x=reluInPlace.x \
// RUN:   --link 'addTo.4*quads=numbers.n' --link 'addTo.4*quads=reluInPlace.n' \
// RUN:   --block 64 -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES: numbers.out is int *, reluInPlace.x is float * [LinkedTypes]

#include <cuda_fp16.h>

__global__ void scale(const float4 *__restrict__ in, float4 *__restrict__ out, float by, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < quads) {
    float4 v = in[i];
    v.x *= by;
    v.y *= by;
    v.z += by;
    v.w -= by;
    out[i] = v;
  }
}
__global__ void byMembers(const float4 *in, float4 *out, const float4 *bias, int columns, int quads) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += blockDim.x * gridDim.x) {
    const float4 b = bias[i % columns];
    out[i] = make_float4(in[i].x + b.x, in[i].y - b.y, in[i].z * b.z, in[i].w + b.w);
  }
}
__global__ void addTo(float4 *x, float by, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads)
    return;
  float4 v = x[i];
  v.x += by;
  v.w -= by;
  x[i] = v;
}
__global__ void relu(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] > 0 ? in[i] : in[i] / 8;
}
__global__ void reluInPlace(float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] > 0 ? x[i] : 2 * y[i];
}
__global__ void numbers(int *out, int *other, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = other[i] = i;
}

__global__ void twice(const uint4 *in, uint4 *out, int octets) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= octets)
    return;
  uint4 v = in[i];
  __half2 *h = reinterpret_cast<__half2 *>(&v);
  for (int k = 0; k < 4; ++k)
    h[k] = __hadd2(h[k], h[k]);
  out[i] = v;
}
__global__ void addPairs(const __half2 *in, __half2 *out, __half2 by, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs)
    out[i] = __hadd2(in[i], by);
}
__global__ void halves(const __half *in, __half *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = __hmul(in[i], in[i]);
}

// A block per row: in turn.
__global__ void sumOfRow(const float *in, float *out, int columns) {
  __shared__ float sums[64];
  float own = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    own += in[blockIdx.x * columns + c];
  sums[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < 64; ++t)
      own += sums[t];
    out[blockIdx.x] = own;
  }
}

__device__ float4 quadOf(const float *at) { return *reinterpret_cast<const float4 *>(at); }
__global__ void sumOfQuads(const float *in, float *out, int columns) {
  in += blockIdx.x * columns;
  float own = 0;
  for (int c = 4 * threadIdx.x; c < columns; c += 4 * blockDim.x) {
    const float4 v = quadOf(in + c), w = reinterpret_cast<const float4 *>(in)[c / 4];
    own += v.x * w.y + v.z * w.w;
  }
  __shared__ float sums[64];
  sums[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < 64; ++t)
      own += sums[t];
    out[blockIdx.x] = own;
  }
}

// Three of them are no group.
__global__ void move(const float3 *in, float3 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float3 p = in[i];
  p.x += 1;
  p.z *= 2;
  out[i] = p;
}
__global__ void lengths(const float *p, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = p[3 * i] * p[3 * i] + p[3 * i + 1] * p[3 * i + 1] + p[3 * i + 2];
}

// Where it stores, each element goes its way.
__global__ void tile(const float *a, float4 *c, int width) {
  const int x = blockIdx.x * 16 + threadIdx.x % 16, y = blockIdx.y * 4 + threadIdx.x / 16;
  if (x >= width || y >= width)
    return;
  float sum = 0;
  for (int k = 0; k < width; ++k)
    sum += a[y * width + k];
  c[y * width + x] = make_float4(sum, sum + 1, -sum * 2, sum + x);
}

void launches(float *x, float *y, float *z, int quads) {
  scale<<<(quads + 63) / 64, 64>>>(reinterpret_cast<const float4 *>(x), reinterpret_cast<float4 *>(y), 3, quads);
  relu<<<(quads + 15) / 16, 64>>>(y, z, 4 * quads);
}

#ifdef FUSED
#include "between.h"
#include "dead.h"
#include "inPlace.h"
#include "live.h"
#include "loads.h"
#include "pairs.h"
#include "points.h"
#include "rows.h"
#include "stores.h"

#include "Inputs/arrays.h"

int main() {
  const int n = 808;
  Array a(n + 8, 1), b(n + 8, 2), c(n + 8, 3), d(n + 8, 4);
  auto quads = [](const Array &of) { return reinterpret_cast<float4 *>(of.at); };
  for (int count : {0, 4, 404}) {
    auto Apart = [&] {
      scale<<<2, 64>>>(quads(a), quads(b), -3, count / 4);
      relu<<<7, 64>>>(b.at, c.at, count);
    };
    auto Dead = [&] {
      Apart();
      b.reset();
    };
    compare("dead", {&b, &c}, Dead, [&] { return dead::scale_relu::launch(quads(a), -3, count / 4, c.at); });
    compare("live", {&b, &c}, Apart, [&] { return live::scale_relu::launch(quads(a), quads(b), -3, count / 4, c.at); });
  }
  compare(
      "between", {&c, &d},
      [&] {
        relu<<<13, 64>>>(a.at, b.at, n);
        byMembers<<<2, 64>>>(quads(b), quads(c), quads(a), 5, n / 4);
        relu<<<13, 64>>>(c.at, d.at, n);
      },
      [&] { return between::relu_byMembers_relu::launch(a.at, quads(c), quads(a), 5, n / 4, d.at); });
  compare(
      "inPlace", {&a},
      [&] {
        addTo<<<4, 64>>>(quads(a), -50, n / 4);
        reluInPlace<<<13, 64>>>(a.at, b.at, n);
      },
      [&] { return inPlace::addTo_reluInPlace::launch(quads(a), -50, n / 4, b.at); });
  auto octetsOf = [](const Array &of) { return reinterpret_cast<uint4 *>(of.at); };
  auto pairsOf = [](const Array &of) { return reinterpret_cast<__half2 *>(of.at); };
  auto halvesOf = [](const Array &of) { return reinterpret_cast<__half *>(of.at); };
  const __half2 by = __float2half2_rn(0.5f);
  compare(
      "pairs", {&c, &d},
      [&] {
        twice<<<4, 64>>>(octetsOf(a), octetsOf(b), n / 4);
        addPairs<<<13, 64>>>(pairsOf(b), pairsOf(c), by, n);
        halves<<<26, 64>>>(halvesOf(c), halvesOf(d), 2 * n);
      },
      [&] {
        return pairs::twice_addPairs_halves::launch(octetsOf(a), octetsOf(b), n / 4, pairsOf(c), by, halvesOf(d));
      });
  compare(
      "rows", {&b, &c},
      [&] {
        scale<<<4, 64>>>(quads(a), quads(b), 2, 200);
        sumOfRow<<<8, 64>>>(b.at, c.at, 100);
      },
      [&] { return rows::scale_sumOfRow::launch(8, quads(a), quads(b), 2, 200, c.at, 100); });
  compare(
      "loads", {&c},
      [&] {
        relu<<<13, 64>>>(a.at, b.at, 790);
        sumOfQuads<<<8, 64>>>(b.at, c.at, 100);
      },
      [&] { return loads::relu_sumOfQuads::launch(8, a.at, b.at, 790, c.at, 100); });
  auto triples = [](const Array &of) { return reinterpret_cast<float3 *>(of.at); };
  compare(
      "points", {&b, &c},
      [&] {
        move<<<4, 64>>>(triples(a), triples(b), 200);
        lengths<<<4, 64>>>(b.at, c.at, 200);
      },
      [&] { return points::move_lengths::launch(4, triples(a), triples(b), 200, c.at); });
  compare(
      "stores", {&b, &c},
      [&] {
        tile<<<dim3(1, 4), 64>>>(a.at, quads(b), 13);
        relu<<<11, 64>>>(b.at, c.at, 4 * 13 * 13);
      },
      [&] { return stores::tile_relu::launch(dim3(1, 4), a.at, quads(b), 13, c.at); });
  std::printf("%d same\n", same);
}
#endif
