// Where it is known what kernels use of their arrays, or with --distinct, pointers need no __restrict__: one loop, rows and
// epilogues compute what separate launches do, and the launcher refuses arrays that share memory after all. The type that they share may be a typedef of the kernels' own file,
// and the first thread that of a variable.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:plus kernels.cu:negate --link plus.out=negate.in --link plus.n=negate.n \
// RUN:   --dead plus.out --block 64 --name loop -o %t/loop.cu
// RUN: %cufuse fuse --vertical kernels.cu:total kernels.cu:share --link total.out=share.sum --link total.x=share.x \
// RUN:   --link total.columns=share.columns --block 32 --name rows -o %t/rows.cu
// RUN: %cufuse fuse --vertical kernels.cu:turn kernels.cu:negate --link turn.out=negate.in --link turn.n=negate.n \
// RUN:   --block 64 --distinct --name turned -o %t/turned.cu
// RUN: FileCheck %s --input-file=%t/rows.cu
// CHECK: Loaded once: total.x
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I %t %t/main.cu %t/loop.cu %t/rows.cu %t/turned.cu

//--- kernels.cu
using real = float;

__global__ void plus(real *out, const real *a, const real *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + b[i];
}
__global__ void negate(real *out, const real *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = -in[i];
}
__global__ void turn(real *out, const real *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    out[i] = in[n - 1 - i] + 1;
}
/// One block of 32 threads for each row.
__global__ void total(real *out, const real *x, int columns) {
  __shared__ real parts[32];
  int tid = threadIdx.x, row = blockIdx.x;
  const real *own = x + row * columns;
  parts[tid] = 0;
  for (int i = tid; i < columns; i += blockDim.x)
    parts[tid] += own[i];
  __syncthreads();
  if (tid == 0) {
    real sum = 0;
    for (int i = 0; i < 32; ++i)
      sum += parts[i];
    out[row] = sum;
  }
}
__global__ void share(real *out, const real *x, const real *sum, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = x[blockIdx.x * columns + i] / sum[blockIdx.x];
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "loop.h"
#include "rows.h"
#include "turned.h"

int main() {
  constexpr int room = 1200, rowCount = 3;
  Array<float> a(room * rowCount, 7), b(2 * room, 9), middle(room), y(room * rowCount), sums(rowCount);
  bool good = true;
  for (int n : {0, 1, 63, 64, 65, 1000}) {
    const int grid = n / 64 + 1;
    loop::plus_negate::Launch given{};
    given.grid = grid;
    given.arguments.a = a, given.arguments.b = b, given.arguments.n = n;
    given.arguments.out = y;
    Both both;
    both.output("y", y);
    good &= both.same(
        "loop",
        [&] {
          plus<<<grid, 64>>>(middle, a, b, n);
          negate<<<grid, 64>>>(y, middle, n);
        },
        [&] { require(loop::launch(given, nullptr), "loop"); }, n == 0);
    // What is not used, or lies just behind it, is no other's.
    auto into = [&](float *out) { return given.arguments.out = out, loop::launch(given, nullptr); };
    good &= into(b) == (n > 0 ? cudaErrorInvalidConfiguration : cudaSuccess);
    good &= into(b + n) == cudaSuccess && into(a + n) == cudaSuccess;
    if (n > 0)
      good &= into(a + (n - 1)) == cudaErrorInvalidConfiguration && into(a + n / 2) == cudaErrorInvalidConfiguration;

    turned::turn_negate::Launch turn_{};
    turn_.grid = grid;
    turn_.arguments.in = a, turn_.arguments.n = n, turn_.arguments.turn_out = middle;
    turn_.arguments.negate_out = y;
    Both other;
    other.output("y", y), other.output("middle", middle);
    good &= other.same(
        "turned",
        [&] {
          turn<<<grid, 64>>>(middle, a, n);
          negate<<<grid, 64>>>(y, middle, n);
        },
        [&] { require(turned::launch(turn_, nullptr), "turned"); }, n == 0);
    turn_.arguments.negate_out = middle;
    good &= turned::launch(turn_, nullptr) == (n > 0 ? cudaErrorInvalidConfiguration : cudaSuccess);
  }
  for (int columns : {0, 1, 31, 33, 100, room}) {
    rows::total_share::Launch given{};
    given.grid = rowCount;
    given.arguments.x = a, given.arguments.columns = columns, given.arguments.total_out = sums;
    given.arguments.share_out = y;
    Both both;
    both.output("y", y);
    if (columns > 0)
      both.output("sums", sums);
    good &= both.same(
        "rows",
        [&] {
          total<<<rowCount, 32>>>(sums, a, columns);
          share<<<rowCount, 32>>>(y, a, sums, columns);
        },
        [&] { require(rows::launch(given, nullptr), "rows"); }, columns == 0);
    given.arguments.share_out = a;
    good &= rows::launch(given, nullptr) == (columns > 0 ? cudaErrorInvalidConfiguration : cudaSuccess);
  }
  return good ? 0 : 1;
}
