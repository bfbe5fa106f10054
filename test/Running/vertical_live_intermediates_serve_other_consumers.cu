// An intermediate that has consumers beside the fused ones is stored, and whole: what is launched behind the fused kernel
// reads it, whether it was made in one loop by vectors, at the stores of a kernel, or in a row's registers, while what is
// dead beside it stays as it was.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical a.cu:split a.cu:join --link split.low=join.a --link split.high=join.b --link split.n=join.n \
// RUN:   --dead split.high --vectorize 4 --block 64 --name loop -o loop.cu
// RUN: %cufuse fuse --vertical a.cu:tiles a.cu:join --link tiles.out=join.a --link 'tiles.rows*columns=join.n' \
// RUN:   --block tiles=16x16 --name store -o store.cu
// RUN: %cufuse fuse --vertical a.cu:sums a.cu:centred a.cu:rowScale --link sums.in=centred.in --link sums.sum=centred.sum \
// RUN:   --link centred.out=rowScale.in --link sums.columns=centred.columns --link sums.columns=rowScale.columns \
// RUN:   --block 32 --name row -o row.cu
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I %t %t/main.cu %t/loop.cu %t/store.cu %t/row.cu

//--- a.cu
__global__ void split(const int *__restrict__ x, int *__restrict__ low, int *__restrict__ high, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    low[i] = x[i] & 15;
    high[i] = x[i] >> 4;
  }
}
__global__ void join(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] * 1000 + b[i];
}
/// The threads of a block take rows of 64 by turns.
__global__ void tiles(const int *__restrict__ x, int *__restrict__ out, int rows, int columns) {
  __shared__ int tile[16][64];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  for (int i = thread; i < 16 * 64; i += 256)
    tile[i / 64][i % 64] = x[i] + blockIdx.y;
  __syncthreads();
  for (int i = thread; i < 16 * 64; i += 256) {
    const int row = blockIdx.y * 16 + i / 64, column = blockIdx.x * 64 + i % 64;
    if (row < rows && column < columns)
      out[row * columns + column] = tile[i / 64][i % 64];
  }
}
__global__ void sums(const int *__restrict__ in, int *__restrict__ sum, int columns) {
  __shared__ int parts[32];
  int own = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    own += in[blockIdx.x * columns + i];
  parts[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 32; ++i)
      own += parts[i];
    sum[blockIdx.x] = own;
  }
}
__global__ void centred(const int *__restrict__ in, const int *__restrict__ sum, int *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] - sum[blockIdx.x];
}
__global__ void rowScale(const int *__restrict__ in, int *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] * 3;
}
/// Not fused: reads what other threads and blocks stored.
__global__ void mirror(const int *__restrict__ in, int *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i];
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "loop.h"
#include "row.h"
#include "store.h"

int main() {
  constexpr int room = 2048;
  bool good = true;
  Array<int> x(room), other(room, 7), a(room), b(room), out(room), mirrored(room), sum(room);
  for (int n : {1, 63, 257, 2047}) {
    Both loop;
    loop.output("low", a), loop.output("out", out), loop.output("mirrored", mirrored);
    const int grid = n / 64 + 1;
    good &= loop.same(
        "loop",
        [&] {
          split<<<grid, 64>>>(x, a, b, n);
          join<<<grid, 64>>>(a, b, out, n);
          mirror<<<grid, 64>>>(a, mirrored, n);
        },
        [&] {
          loop::split_join::Launch launch{};
          launch.grid = 2;
          launch.arguments = {x, a, n, out};
          require(loop::launch(launch), "loop");
          mirror<<<grid, 64>>>(a, mirrored, n);
        });
  }
  for (const dim3 size : {dim3(1, 1), dim3(33, 17), dim3(65, 31), dim3(128, 16)}) {
    const int columns = size.x, rows = size.y, n = columns * rows;
    const dim3 grid((columns + 63) / 64, (rows + 15) / 16);
    Both store;
    store.output("tiles", a), store.output("out", out), store.output("mirrored", mirrored);
    good &= store.same(
        "store",
        [&] {
          tiles<<<grid, dim3(16, 16)>>>(x, a, rows, columns);
          join<<<n / 64 + 1, 64>>>(a, other, out, n);
          mirror<<<n / 64 + 1, 64>>>(a, mirrored, n);
        },
        [&] {
          store::tiles_join::Launch launch{};
          launch.grid = grid;
          launch.arguments = {x, a, rows, columns, other, out};
          require(store::launch(launch), "store");
          mirror<<<n / 64 + 1, 64>>>(a, mirrored, n);
        });
    Both row;
    row.output("sums", sum), row.output("centred", b), row.output("out", out), row.output("mirrored", mirrored);
    good &= row.same(
        "row",
        [&] {
          sums<<<rows, 32>>>(x, sum, columns);
          centred<<<rows, 32>>>(x, sum, b, columns);
          rowScale<<<rows, 32>>>(b, out, columns);
          mirror<<<n / 64 + 1, 64>>>(b, mirrored, n);
        },
        [&] {
          row::sums_centred_rowScale::Launch launch{};
          launch.grid = rows;
          launch.arguments = {x, sum, columns, b, out};
          require(row::launch(launch), "row");
          mirror<<<n / 64 + 1, 64>>>(b, mirrored, n);
        });
  }
  return good ? 0 : 1;
}
