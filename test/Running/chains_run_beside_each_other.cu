// `A B + C D + E`: a product with its epilogue, a loop of two kernels and a kernel that waits for its block, side by side.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %samples/sgemm/sgemm.cu:sgemmTiled %samples/elementwise/gelu.cu:gelu + %t/maps.cu:scale %t/maps.cu:shift + \
// RUN:   %t/maps.cu:reversed --link sgemmTiled.c=gelu.in --link 'sgemmTiled.m*n=gelu.n' --dead sgemmTiled.c \
// RUN:   --link scale.out=shift.in --link scale.n=shift.n --distinct --block 16x16 --block 64 --block 96 --name beside \
// RUN:   -o %t/beside.cu
// RUN: %cufuse fuse %t/maps.cu:scale %t/maps.cu:shift + %t/maps.cu:scale %t/maps.cu:shift --geometry blocks --grid-policy stride \
// RUN:   --link scale_0.out=shift_0.in --link scale_0.n=shift_0.n --link scale_1.out=shift_1.in --link scale_1.n=shift_1.n \
// RUN:   --dead scale_0.out --dead scale_1.out --distinct --block 64 --block 128 --name twice -o %t/twice.cu
// Rows stay in registers: the instance is for the lengths of both.
// RUN: %cufuse fuse --in-registers %t/maps.cu:mean %t/maps.cu:centred + %t/maps.cu:mean %t/maps.cu:centred --geometry blocks \
// RUN:   --link mean_0.x=centred_0.x --link mean_0.means=centred_0.means --link mean_0.n=centred_0.n \
// RUN:   --link mean_1.x=centred_1.x --link mean_1.means=centred_1.means --link mean_1.n=centred_1.n \
// RUN:   --distinct --block 64 --block 64 --name rows -o %t/rows.cu
// RUN: FileCheck %s --check-prefix=ROWS < %t/rows.cu
// ROWS: mean_centred_0Launch.arguments.n == 128 && mean_centred_1Launch.arguments.n == 128 ? fused<2, 2>
// ROWS: : fused<0, 0>;
// RUN: %execute -D SAMPLE_NO_MAIN -I %S/Inputs -I %t -I %samples/elementwise -I %samples/sgemm %t/main.cu %t/beside.cu %t/twice.cu \
// RUN:   %t/rows.cu
// Groups are separated by kernels.
// RUN: %exits 2 %cufuse fuse %t/maps.cu:scale + --link a.b=c.d -o %t/none.cu 2>&1 | FileCheck %s --check-prefix=PLUS
// PLUS: error: '+' stands between kernels
// PLUS: write A B + C D

//--- maps.cu
__global__ void scale(const float *in, float *out, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a * in[i];
}
__global__ void shift(const float *in, float *out, float b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i] + b;
}
__global__ void reversed(const float *in, float *out) {
  __shared__ float block[96];
  block[threadIdx.x] = in[blockIdx.x * 96 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 96 + threadIdx.x] = block[95 - threadIdx.x];
}
__global__ void mean(const float *x, float *means, int n) {
  __shared__ float all;
  if (threadIdx.x == 0)
    all = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&all, x[blockIdx.x * n + i]);
  __syncthreads();
  if (threadIdx.x == 0)
    means[blockIdx.x] = all / n;
}
__global__ void centred(const float *x, const float *means, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[blockIdx.x * n + i] = x[blockIdx.x * n + i] - means[blockIdx.x];
}

//--- main.cu
#include "both.h"

#include "gelu.cu"
#include "maps.cu"
#include "sgemm.cu"

#include "beside.h"
#include "rows.h"
#include "twice.h"

int main() {
  bool good = true;
  for (const int n : {1, 63, 300}) {
    const int m = 37, k = 20;
    Array<float> a(m * k, 5), b(k * n, 7), addend(m * n, 3), c(m * n), out(m * n);
    Array<float> x(1000, 11), scaled(1000), shifted(1000), y(5 * 96, 13), turned(5 * 96);
    const dim3 grid((n + 63) / 64, (m + 63) / 64);
    Both both;
    both.output("out", out), both.output("scaled", scaled), both.output("shifted", shifted), both.output("turned", turned);
    good &= both.same(
        "beside",
        [&] {
          sgemmTiled<<<grid, dim3(16, 16)>>>(m, n, k, 0.125f, a, b, 0.5f, addend, c);
          gelu<<<3, 128>>>(c, out, m * n);
          scale<<<16, 64>>>(x, scaled, 3.f, 1000);
          shift<<<2, 64>>>(scaled, shifted, 1.f, 1000);
          reversed<<<5, 96>>>(y, turned);
        },
        [&] {
          beside::sgemmTiled_gelu::Launch product{};
          product.grid = grid;
          auto &given = product.arguments;
          given.m = m, given.n = n, given.sgemmTiled_k = k, given.alpha = 0.125f, given.beta = 0.5f;
          given.a = a, given.b = b, given.cIn = addend, given.out = out;
          beside::scale_shift::Launch loop{};
          loop.grid = dim3(4);
          auto &map = loop.arguments;
          map.in = x, map.a = 3.f, map.n = 1000, map.scale_out = scaled, map.b = 1.f, map.shift_out = shifted;
          beside::reversed::Launch last{};
          last.grid = dim3(5), last.arguments.in = y, last.arguments.out = turned;
          require(beside::launch(product, loop, last), "beside");
          map.shift_out = x;
          if (beside::launch(product, loop, last) != cudaErrorInvalidConfiguration)
            std::exit(2);
        });
    Array<float> other(77, 17), of(77), temporary(1000);
    Both two;
    two.output("shifted", shifted), two.output("of", of);
    good &= two.same(
        "twice",
        [&] {
          scale<<<16, 64>>>(x, temporary, 3.f, 1000);
          shift<<<2, 64>>>(temporary, shifted, 1.f, 1000);
          scale<<<1, 128>>>(other, temporary, 5.f, 77);
          shift<<<1, 128>>>(temporary, of, 2.f, 77);
        },
        [&] {
          twice::scale_shift_0::Launch first{};
          first.grid = dim3(7);
          first.arguments.in = x, first.arguments.a = 3.f, first.arguments.n = 1000, first.arguments.out = shifted;
          first.arguments.b = 1.f;
          twice::scale_shift_1::Launch second{};
          second.grid = dim3(1);
          second.arguments.in = other, second.arguments.a = 5.f, second.arguments.n = 77, second.arguments.out = of;
          second.arguments.b = 2.f;
          require(twice::launch(first, second), "twice");
        });
  }
  // In registers, with as many elements for a thread, or else through memory.
  for (const auto &columns : {std::pair(128, 128), std::pair(100, 80), std::pair(100, 300), std::pair(300, 400)}) {
    const int first = columns.first, second = columns.second; // captured
    Array<float> a(5 * first, 3), b(9 * second, 5), meansOfA(5), meansOfB(9), ofA(5 * first), ofB(9 * second);
    Both both;
    both.output("meansOfA", meansOfA), both.output("meansOfB", meansOfB), both.output("ofA", ofA), both.output("ofB", ofB);
    good &= both.same(
        "rows",
        [&] {
          mean<<<5, 64>>>(a, meansOfA, first);
          centred<<<5, 64>>>(a, meansOfA, ofA, first);
          mean<<<9, 64>>>(b, meansOfB, second);
          centred<<<9, 64>>>(b, meansOfB, ofB, second);
        },
        [&] {
          rows::mean_centred_0::Launch one{};
          one.grid = dim3(5);
          one.arguments.x = a, one.arguments.means = meansOfA, one.arguments.n = first, one.arguments.out = ofA;
          rows::mean_centred_1::Launch other{};
          other.grid = dim3(9);
          other.arguments.x = b, other.arguments.means = meansOfB, other.arguments.n = second, other.arguments.out = ofB;
          require(rows::launch(one, other), "rows");
        });
  }
  return good ? 0 : 1;
}
