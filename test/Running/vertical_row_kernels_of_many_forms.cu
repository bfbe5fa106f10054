// What row kernels may look like: guards of the block, counters of other types, strides and rows as constants, rows with
// gaps, helpers that read the block, dynamic shared memory, stores on both sides of a condition, several consumers and
// producers, the same kernel twice, intermediates that stay, virtual blocks, pointers to rows, cache hints.
// RUN: rm -rf %t && split-file %s %t
// RUN: cd %t && %cufuse fuse --vertical forms.cu:largest forms.cu:least forms.cu:spread forms.cu:clipped forms.cu:clipped \
// RUN:   --link largest.x=least.in --link largest.out=spread.high --link least.out=spread.low --link largest.x=spread.x \
// RUN:   --link spread.out=clipped_0.in --link clipped_0.out=clipped_1.in --link largest.rows=least.rows \
// RUN:   --link largest.rows=spread.rows --link largest.columns=least.columns --link largest.columns=spread.columns \
// RUN:   --link largest.pitch=least.pitch --link largest.pitch=spread.pitch --link largest.columns=clipped_0.columns --link largest.rows=clipped_0.rows --link largest.rows=clipped_1.rows \
// RUN:   --link largest.columns=clipped_1.columns --link largest.pitch=clipped_0.pitch --link largest.pitch=clipped_1.pitch \
// RUN:   --dead spread.out --block 64 --name chain -o chain.cu
// RUN: cd %t && %cufuse fuse --vertical fixed.cu:'ns::ranks<96>' fixed.cu:weighted fixed.cu:weighted \
// RUN:   --link ranks.out=weighted_0.in --link ranks.out=weighted_1.in --link ranks.total=weighted_0.total \
// RUN:   --link ranks.total=weighted_1.total --dead ranks.total --dead ranks.out --block 64 --name fork -o fork.cu
// RUN: cd %t && %cufuse fuse --vertical fixed.cu:'ns::ranks<96>' fixed.cu:weighted fixed.cu:weighted \
// RUN:   --link ranks.out=weighted_0.in --link ranks.out=weighted_1.in --link ranks.total=weighted_0.total \
// RUN:   --link ranks.total=weighted_1.total --block 64 --grid-policy stride --name loop -o loop.cu
// RUN: cd %t && %cufuse fuse --vertical pointers.cu:shifted pointers.cu:mirrored --link shifted.out=mirrored.in \
// RUN:   --link shifted.most=mirrored.most --link shifted.columns=mirrored.columns --dead shifted.out --block 64 \
// RUN:   --name derived -o derived.cu
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I %t %t/main.cu %t/derived.cu %t/chain.cu %t/fork.cu %t/loop.cu

//--- forms.cu
#define WARPS 2
/// Reads the block itself.
__device__ float reduced(float value, bool most) {
  __shared__ float parts[64];
  parts[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      parts[threadIdx.x] = most ? fmaxf(parts[threadIdx.x], parts[threadIdx.x + half])
                                : fminf(parts[threadIdx.x], parts[threadIdx.x + half]);
    __syncthreads();
  }
  return parts[0];
}

__global__ void largest(const float *__restrict__ x, float *__restrict__ out, unsigned rows, unsigned columns, size_t pitch) {
  if (blockIdx.x >= rows)
    return;
  float value = -1e30f;
  for (unsigned i = threadIdx.x; i < columns; i += blockDim.x)
    value = fmaxf(value, x[blockIdx.x * pitch + i]);
  value = reduced(value, true);
  if (threadIdx.x == 0)
    out[blockIdx.x] = value;
}

// In dynamic shared memory.
__global__ void least(const float *__restrict__ in, float *__restrict__ out, unsigned rows, unsigned columns, size_t pitch) {
  extern __shared__ float seen[];
  if (blockIdx.x < rows) {
    const size_t first = pitch * blockIdx.x;
    float value = 1e30f;
    for (size_t i = threadIdx.x; columns > i; i += WARPS * 32)
      value = fminf(value, in[first + i]);
    seen[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < 1) {
      for (int i = 1; i < 64; ++i)
        value = fminf(value, seen[i]);
      out[blockIdx.x] = value;
    }
  }
}

__global__ void spread(const float *__restrict__ x, const float *__restrict__ high, const float *__restrict__ low,
                       float *__restrict__ out, unsigned rows, unsigned columns, size_t pitch) {
  if (blockIdx.x >= rows)
    return;
  const float by = high[blockIdx.x] > low[blockIdx.x] ? high[blockIdx.x] - low[blockIdx.x] : 1;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const size_t at = blockIdx.x * pitch + i;
    if (x[at] > 10)
      out[at] = (x[at] - low[blockIdx.x]) / by;
    else
      out[at] = 0;
  }
}

__global__ void clipped(const float *__restrict__ in, float *__restrict__ out, unsigned rows, unsigned columns, size_t pitch, float most) {
  if (blockIdx.x >= rows)
    return;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[i + blockIdx.x * pitch] = in[blockIdx.x * pitch + i] < most ? in[i + pitch * blockIdx.x] : most;
}

//--- fixed.cu
namespace ns {
constexpr int Block = 64;
/// Rows of a constant length; atomics in shared memory of its own.
template <int Columns>
__global__ void __launch_bounds__(Block) ranks(const int *__restrict__ in, int *__restrict__ out, int *__restrict__ total) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < Columns; i += Block) {
    int below = 0;
    for (int j = 0; j < Columns; ++j)
      below += in[blockIdx.x * Columns + j] < in[blockIdx.x * Columns + i];
    out[blockIdx.x * Columns + i] = below;
    atomicAdd(&sum, below);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    total[blockIdx.x] = sum;
}
} // namespace ns

__global__ void weighted(const int *__restrict__ in, const int *__restrict__ total, float *__restrict__ out, float weight) {
  for (unsigned i = threadIdx.x; i < 96; i += blockDim.x)
    out[blockIdx.x * 96 + i] = weight * in[blockIdx.x * 96 + i] / total[blockIdx.x];
}

//--- pointers.cu
/// Pointers to the row and to elements; loads and stores with cache hints.
__global__ void shifted(const float *__restrict__ in, float *__restrict__ out, float *__restrict__ most, int columns) {
  const float *row = in + blockIdx.x * columns;
  float *to = &out[blockIdx.x * columns];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    *(to + i) = __ldg(row + i) + 1;
  if (threadIdx.x == 0)
    *(most + blockIdx.x) = 2 * row[0];
}
__global__ void mirrored(const float *__restrict__ in, const float *__restrict__ most, float *__restrict__ out, int columns) {
  const float *__restrict__ from = in + blockIdx.x * columns;
  const float limit = __ldg(&most[blockIdx.x]);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = limit - __ldcs(from + i);
}

//--- main.cu
#include "both.h"

#include "fixed.cu"
#include "forms.cu"
#include "pointers.cu"

#include "chain.h"
#include "derived.h"
#include "fork.h"
#include "loop.h"

/// `live`: what the second kernel takes is in memory, too.
template <typename Given, typename Launch>
bool constantRows(const char *name, Given given, Launch launch, Array<int> &total, bool live) {
  constexpr int rows = 5;
  Array<int> in(rows * 96, 40), out(rows * 96);
  Array<float> a(rows * 96), b(rows * 96);
  given.grid = rows;
  given.arguments.in = in;
  given.arguments.ranks_out = live ? out.data : nullptr;
  given.arguments.weighted_0_out = a;
  given.arguments.weighted_0_weight = 3;
  given.arguments.weighted_1_out = b;
  given.arguments.weighted_1_weight = 0.3f;
  Both both;
  both.output("a", a), both.output("b", b);
  if (live)
    both.output("total", total), both.output("ranks", out);
  return both.same(
      name,
      [&] {
        ns::ranks<96><<<rows, 64>>>(in, out, total);
        weighted<<<rows, 64>>>(out, total, a, 3);
        weighted<<<rows, 64>>>(out, total, b, 0.3f);
      },
      [&] { require(launch(given, nullptr), name); });
}

int main() {
  constexpr int rows = 4, pitch = 3000;
  Array<float> x(rows * pitch, 90), high(rows), low(rows), a(rows * pitch), b(rows * pitch), c(rows * pitch);
  bool good = true;
  for (unsigned columns : {0u, 1u, 63u, 64u, 130u, 2048u, 2049u}) {
    Both both;
    both.output("high", high), both.output("low", low), both.output("b", b), both.output("c", c);
    good &= both.same(
        "chain",
        [&] {
          largest<<<rows, 64>>>(x, high, rows, columns, pitch);
          least<<<rows, 64, 256>>>(x, low, rows, columns, pitch);
          spread<<<rows, 64>>>(x, high, low, a, rows, columns, pitch);
          clipped<<<rows, 64>>>(a, b, rows, columns, pitch, 0.7f);
          clipped<<<rows, 64>>>(b, c, rows, columns, pitch, 0.6f);
        },
        [&] {
          chain::largest_least_spread_clipped_clipped::Launch launch{};
          launch.grid = rows;
          launch.dynamicSharedBytes = 256;
          launch.arguments.x = x;
          launch.arguments.largest_out = high;
          launch.arguments.rows = rows;
          launch.arguments.columns = columns;
          launch.arguments.pitch = pitch;
          launch.arguments.least_out = low;
          launch.arguments.spread_out = a;
          launch.arguments.clipped_0_out = b;
          launch.arguments.clipped_0_most = 0.7f;
          launch.arguments.clipped_1_out = c;
          launch.arguments.clipped_1_most = 0.6f;
          require(chain::launch(launch), "chain");
        });
  }
  for (int columns : {1, 64, 200, 2500}) {
    derived::shifted_mirrored::Launch launch{};
    launch.grid = rows;
    launch.arguments.in = x;
    launch.arguments.shifted_out = columns > 2048 ? b.data : nullptr;
    launch.arguments.most = high;
    launch.arguments.columns = columns;
    launch.arguments.out = c;
    Both both;
    both.output("most", high), both.output("c", c);
    good &= both.same(
        "derived",
        [&] {
          shifted<<<rows, 64>>>(x, b, high, columns);
          mirrored<<<rows, 64>>>(b, high, c, columns);
        },
        [&] { require(derived::launch(launch), "derived"); });
  }
  Array<int> total(5);
  good &= constantRows("fork", fork::ranks_weighted_weighted::Launch{}, fork::launch, total, false);
  loop::ranks_weighted_weighted::Launch kept{};
  kept.arguments.total = total;
  good &= constantRows("loop", kept, loop::launch, total, true);
  return good ? 0 : 1;
}
