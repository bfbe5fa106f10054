// A kernel of one block behind one of many is played by the last block that has played its share of the first, without a
// barrier: whatever it loads. So are several of them, and with --last-block those of more blocks than one. Launches
// follow each other, and run at once on arrays of their own.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse inspect --chains a.cu | FileCheck %s --check-prefix=CHAINS
// CHAINS: : one after the other{{$}}
// CHAINS-NEXT: {{^}}  cufuse fuse --vertical a.cu:sums a.cu:total -o fused.cu
// RUN: %cufuse fuse --vertical a.cu:sums a.cu:total --name sum -o sum.cu 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: note: linked as launched at {{.*}}: --link sums.out=total.in; by the last block, since the others have one block
// RUN: %cufuse fuse --vertical a.cu:marks a.cu:ranks a.cu:total --name rank -o rank.cu
// RUN: %cufuse fuse --vertical a.cu:count a.cu:mean --dead count.all --name averaged -o averaged.cu 2>&1 | FileCheck %s --check-prefix=WHY
// WHY: by the last block, since in registers {{.*}}: the producer changes the intermediate by atomics
// RUN: %cufuse fuse a.cu:sums a.cu:scale --link sums.out=scale.sums --last-block --block 96 --block 40 --name scaled -o scaled.cu
// RUN: FileCheck %s --input-file scaled.cu
// CHECK: __device__ unsigned long long cufuse_arrivals[
// CHECK: __global__ void fused(
// CHECK-NEXT: {{^}}    const float *sums_in, float *sums_out, int sums_n, const unsigned sums_blocks,
// CHECK: // Every block plays its share of the first kernel; the last that has plays the others.
// CHECK: for (unsigned block = blockIdx.x; block < sums_blocks; block += gridDim.x) {
// CHECK: {{^}}  if (!CufuseLastBlock::is(place))
// CHECK-NEXT: {{^}}    return;
// CHECK: for (unsigned block = 0; block < scale_blocks_; block += 1) {
// CHECK: sumsLaunch.arguments.out == nullptr
// CHECK: placeOf(place, sumsLaunch.arguments.out)
// One kernel is both stages, each with the block of its launch; partial sums may be volatile, and are handed on in memory
// whatever is dead.
// RUN: %cufuse fuse --vertical a.cu:sums a.cu:sums --name twice -o twice.cu
// RUN: %cufuse fuse --vertical a.cu:lasting a.cu:total --dead lasting.out --name kept -o kept.cu
// RUN: not grep -i cooperative sum.cu rank.cu averaged.cu scaled.cu twice.cu kept.cu
// RUN: %execute -I %S/Inputs -I %t main.cu sum.cu rank.cu averaged.cu scaled.cu twice.cu kept.cu

//--- a.cu
/// Threads leave before the end; the block has memory of both kinds.
__global__ void sums(const float *__restrict__ in, float *__restrict__ out, int n) {
  extern __shared__ float part[];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x > 0)
    return;
  for (int i = 1; i < blockDim.x; ++i)
    sum += part[i];
  out[blockIdx.x] = sum;
}

__global__ void total(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float part[64];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += in[n - 1 - i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *out = part[0];
}

/// As kernels were written before there was __syncwarp().
__global__ void lasting(const float *in, volatile float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    out[blockIdx.x] = 9;
  __syncthreads();
  if (threadIdx.x == 32 && i < n)
    out[blockIdx.x] = 3 * in[i];
}

/// Blocks of two dimensions; a loop goes on from where the thread begins.
__global__ void marks(float *marks, const int *of, int rows, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < rows && x < columns; y += blockDim.y * gridDim.y)
    marks[y * columns + x] += of[y * columns + x];
}

/// In place: the number of those that are smaller.
__global__ void ranks(float *marks, float *sorted, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int rank = 0;
    for (int k = 0; k < n; ++k)
      rank += marks[k] < marks[i] || (marks[k] == marks[i] && k < i);
    sorted[rank] = marks[i];
  }
}

__global__ void count(const float *x, int *all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 400)
    atomicAdd(all, 1);
}
__global__ void mean(const int *all, float *mean, int n) { mean[0] = 1.0f * all[0] / n; }

/// Of several blocks.
__global__ void scale(const float *sums, float *x, int blocks, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < blocks; ++k)
    sum += sums[k];
  if (i < n)
    x[i] /= sum + gridDim.x;
}

inline void launches(const float *in, float *parts, float *out, int blocks, int n) {
  sums<<<blocks, 96, 96 * sizeof(float)>>>(in, parts, n);
  total<<<1, 64>>>(parts, out, blocks);
}

inline void inTwoStages(const float *in, float *parts, float *out, int blocks, int n) {
  sums<<<blocks, 96, 96 * sizeof(float)>>>(in, parts, n);
  sums<<<1, 64, 64 * sizeof(float)>>>(parts, out, blocks);
}

inline void inThirds(const float *in, float *parts, float *out, int blocks, int n) {
  const dim3 one;
  lasting<<<blocks, 96>>>(in, parts, n);
  total<<<one, 64>>>(parts, out, blocks);
}

inline void inThree(float *values, const int *of, float *sorted, float *out, int rows, int columns) {
  marks<<<dim3(columns / 8 + 1, 3), dim3(8, 4)>>>(values, of, rows, columns);
  const dim3 one(1);
  ranks<<<one, 32>>>(values, sorted, rows * columns);
  total<<<1, 64>>>(sorted, out, rows * columns);
}

inline void counted(const float *x, int *all, float *out, int n) {
  count<<<n / 32 + 1, 32>>>(x, all, n);
  mean<<<1, 1>>>(all, out, n);
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "averaged.h"
#include "kept.h"
#include "rank.h"
#include "scaled.h"
#include "sum.h"
#include "twice.h"

int main() {
  bool good = true;
  for (const int n : {1, 95, 97, 1000}) {
    const int blocks = (n + 95) / 96;
    Array<float> in(n), parts(blocks, 7), out(1, 5), x(n);
    Both each;
    each.output("parts", parts), each.output("out", out), each.output("x", x);
    auto sumsOf = [&](auto &first) {
      first.dynamicSharedBytes = 96 * sizeof(float);
      first.arguments = {in, parts, n};
    };
    for (int turn = 0; turn < 3; ++turn)
      good &= each.same("sum", [&] { launches(in, parts, out, blocks, n); },
                        [&] {
                          sum::sums::Launch first{unsigned(blocks), 96};
                          sumsOf(first);
                          sum::total::Launch second{1, 64};
                          second.arguments = {out, blocks};
                          require(sum::launch(first, second), "sum");
                        });
    good &= each.same("twice", [&] { inTwoStages(in, parts, out, blocks, n); },
                      [&] {
                        twice::sums_0::Launch first{unsigned(blocks), 96};
                        sumsOf(first);
                        twice::sums_1::Launch second{1, 64, 64 * sizeof(float)};
                        second.arguments = {out, blocks};
                        require(twice::launch(first, second), "twice");
                      });
    good &= each.same("kept", [&] { inThirds(in, parts, out, blocks, n); },
                      [&] {
                        kept::lasting::Launch first{unsigned(blocks), 96};
                        first.arguments = {in, parts, n};
                        kept::total::Launch second{1, 64};
                        second.arguments = {out, blocks};
                        require(kept::launch(first, second), "kept");
                      });
    good &= each.same("scaled",
                      [&] {
                        sums<<<blocks, 96, 96 * sizeof(float)>>>(in, parts, n);
                        scale<<<(n + 39) / 40, 40>>>(parts, x, blocks, n);
                      },
                      [&] {
                        scaled::sums::Launch first{unsigned(blocks)};
                        sumsOf(first);
                        scaled::scale::Launch second{unsigned(n + 39) / 40};
                        second.arguments = {x, blocks, n};
                        require(scaled::launch(first, second), "scaled");
                      });
    // The first kernel has nothing to store its sums to.
    scaled::sums::Launch none{unsigned(blocks)};
    scaled::scale::Launch second{1};
    good &= scaled::launch(none, second) == cudaErrorInvalidConfiguration;

    Array<int> all(1);
    Both counts;
    counts.output("all", all), counts.output("out", out);
    good &= counts.same("mean", [&] { counted(in, all, out, n); },
                        [&] {
                          averaged::count::Launch first{n / 32 + 1, 32};
                          first.arguments = {in, all, n};
                          averaged::mean::Launch second{1, 1};
                          second.arguments = {out};
                          require(averaged::launch(first, second), "mean");
                        });
  }
  for (const int rows : {1, 5, 13}) {
    const int columns = 2 * rows - 1;
    Array<float> values(rows * columns, 50), sorted(rows * columns), out(1);
    Array<int> of(rows * columns, 20);
    Both each;
    each.output("values", values), each.output("sorted", sorted), each.output("out", out);
    good &= each.same("rank", [&] { inThree(values, of, sorted, out, rows, columns); },
                      [&] {
                        rank::marks::Launch first{dim3(columns / 8 + 1, 3), dim3(8, 4)};
                        first.arguments = {values, of, rows, columns};
                        rank::ranks::Launch second{1, 32};
                        second.arguments = {sorted};
                        rank::total::Launch third{1, 64};
                        third.arguments = {out};
                        require(rank::launch(first, second, third), "rank");
                      });
  }
  // Two at once.
  const int n = 500;
  Array<float> in(n), one(6), other(6), outs(2);
  cudaStream_t streams[2];
  for (cudaStream_t &stream : streams)
    cudaStreamCreate(&stream);
  Both each;
  each.output("one", one), each.output("other", other), each.output("outs", outs);
  good &= each.same("at once",
                    [&] {
                      launches(in, one, outs, 6, n);
                      launches(in + 1, other, outs + 1, 6, n - 1);
                    },
                    [&] {
                      for (int i = 0; i < 2; ++i) {
                        sum::sums::Launch first{6, 96, 96 * sizeof(float)};
                        first.arguments = {in + i, i ? other : one, n - i};
                        sum::total::Launch second{1, 64};
                        second.arguments = {outs + i, 6};
                        require(sum::launch(first, second, streams[i]), "at once");
                      }
                    });
  return good ? 0 : 1;
}
