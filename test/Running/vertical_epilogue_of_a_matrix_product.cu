// Pointwise kernels at the stores of tiled kernels, whose threads have quite another map to the elements: a matrix
// product with bias and GELU, and a transposition with a residual; also where they change what is stored in place.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse --vertical %samples/sgemm/sgemm.cu:sgemmTiled %samples/elementwise/bias.cu:addBias \
// RUN:   %samples/elementwise/gelu.cu:gelu --link sgemmTiled.c=addBias.in --link addBias.out=gelu.in \
// RUN:   --link 'sgemmTiled.m*n=addBias.n' --link sgemmTiled.n=addBias.columns --link addBias.n=gelu.n \
// RUN:   --dead sgemmTiled.c --dead addBias.out --name gemm -o %t/gemm.cu
// RUN: %cufuse fuse --vertical '%samples/transpose/transpose.cu:transposeTiled<float>' \
// RUN:   %samples/elementwise/residual.cu:addResidual --link transposeTiled.out=addResidual.in \
// RUN:   --link 'transposeTiled.width*height=addResidual.n' --name turned -o %t/turned.cu
// RUN: %cufuse fuse --vertical %samples/sgemm/sgemm.cu:sgemmTiled %t/changes.cu:activate --link sgemmTiled.c=activate.c \
// RUN:   --link 'sgemmTiled.m*n=activate.n' --link sgemmTiled.n=activate.columns --name activated -o %t/activated.cu
// RUN: FileCheck %s --input-file=%t/activated.cu
// CHECK: /// Where sgemmTiled stores c: an element goes to memory as it is changed by activate.
// RUN: %cufuse fuse --vertical %samples/sgemm/sgemm.cu:sgemmTiled %t/changes.cu:addColumns %t/changes.cu:clamp \
// RUN:   --link sgemmTiled.c=addColumns.c --link sgemmTiled.m=addColumns.rows --link sgemmTiled.n=addColumns.columns \
// RUN:   --link addColumns.c=clamp.x --link 'sgemmTiled.m*n=clamp.n' --in-registers --name columns -o %t/columns.cu
// RUN: %cufuse fuse --vertical %t/changes.cu:multiply %t/changes.cu:addColumns --link multiply.c=addColumns.c \
// RUN:   --link multiply.m=addColumns.rows --link multiply.n=addColumns.columns --distinct --block 16x16 --name pair -o %t/pair.cu
// RUN: FileCheck %s --check-prefix=PAIR --input-file=%t/pair.cu
// PAIR: /// Where multiply stores c: an element goes to memory as it is changed by addColumns.
// RUN: %cufuse fuse --vertical '%samples/transpose/transpose.cu:transposeTiled<float>' %t/changes.cu:halved %t/changes.cu:add \
// RUN:   %t/changes.cu:clamp %t/changes.cu:halved --link transposeTiled.out=halved_0.in --link halved_0.out=add.to \
// RUN:   --link add.to=clamp.x --link clamp.x=halved_1.in --link 'transposeTiled.width*height=halved_0.n' \
// RUN:   --link halved_0.n=add.n --link halved_0.n=clamp.n --link halved_0.n=halved_1.n --name added -o %t/added.cu
// RUN: %execute -D SAMPLE_NO_MAIN -I %S/Inputs -I %t -I %samples/elementwise -I %samples/sgemm -I %samples/transpose \
// RUN:   %t/main.cu %t/gemm.cu %t/turned.cu %t/activated.cu %t/columns.cu %t/pair.cu %t/added.cu

//--- changes.cu
__global__ void activate(float *c, const float *bias, int n, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && c[i] + bias[i % columns] > 0)
    c[i] = c[i] + bias[i % columns];
}
__global__ void halved(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] / 2;
}
__global__ void add(float *to, const float *what, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    to[i] += what[i];
}
__global__ void addColumns(float *c, const float *bias, int rows, int columns) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && column < columns)
    c[row * columns + column] += bias[column];
}
__global__ void multiply(float *c, const float *a, const float *b, int m, int n, int k) {
  __shared__ float ofA[16][16], ofB[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int begin = 0; begin < k; begin += 16) {
    const int x = begin + threadIdx.x, y = begin + threadIdx.y;
    ofA[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0;
    ofB[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += ofA[threadIdx.y][i] * ofB[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}
__global__ void clamp(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 7)
    x[i] = 7;
}

//--- main.cu
#include "both.h"

#include "bias.cu"
#include "gelu.cu"
#include "residual.cu"
#include "sgemm.cu"

#undef TILE
#define factorise factoriseTransposed
#include "transpose.cu"

#include "changes.cu"

#include "activated.h"
#include "added.h"
#include "columns.h"
#include "gemm.h"
#include "pair.h"
#include "turned.h"

int main() {
  bool good = true;
  for (const dim3 size : {dim3(1, 1, 1), dim3(64, 64, 16), dim3(65, 63, 17), dim3(37, 130, 20)}) {
    const int m = size.x, n = size.y, k = size.z;
    Array<float> a(m * k, 5), b(k * n, 7), addend(m * n, 3), bias(n, 11), c(m * n), biased(m * n), out(m * n);
    const dim3 grid((n + 63) / 64, (m + 63) / 64), squares((n + 15) / 16, (m + 15) / 16);
    Both both;
    both.output("out", out);
    good &= both.same(
        "product",
        [&] {
          sgemmTiled<<<grid, dim3(16, 16)>>>(m, n, k, 0.125f, a, b, 0.5f, addend, c);
          addBias<<<m * n / 128 + 1, 128>>>(c, bias, biased, m * n, n);
          gelu<<<3, 128>>>(biased, out, m * n);
        },
        [&] {
          gemm::sgemmTiled_addBias_gelu::Launch launch{};
          launch.grid = grid, launch.block = dim3(16, 16);
          auto &arguments = launch.arguments;
          arguments.m = m, arguments.n = n, arguments.sgemmTiled_k = k;
          arguments.alpha = 0.125f, arguments.beta = 0.5f;
          arguments.a = a, arguments.b = b, arguments.cIn = addend;
          arguments.bias = bias;
          arguments.out = out;
          require(gemm::launch(launch), "gemm");
          --launch.grid.y;
          if (gemm::launch(launch) != cudaErrorInvalidConfiguration)
            std::exit(2);
        });
    Both inPlace;
    inPlace.output("c", c);
    good &= inPlace.same(
        "in place",
        [&] {
          sgemmTiled<<<grid, dim3(16, 16)>>>(m, n, k, -0.125f, a, b, 0.5f, addend, c);
          activate<<<m * n / 128 + 1, 128>>>(c, bias, m * n, n);
        },
        [&] {
          require(activated::launch({grid, dim3(16, 16), {m, n, k, -0.125f, a, b, 0.5f, addend, c, bias}}), "activated");
        });
    good &= inPlace.same(
        "in place, a pair",
        [&] {
          multiply<<<squares, dim3(16, 16)>>>(c, a, b, m, n, k);
          addColumns<<<squares, dim3(16, 16)>>>(c, bias, m, n);
        },
        [&] { require(pair::launch({squares, {c, a, b, m, n, k, bias}}), "pair"); });
    good &= inPlace.same(
        "in place, by columns",
        [&] {
          sgemmTiled<<<grid, dim3(16, 16)>>>(m, n, k, -0.125f, a, b, 0.5f, addend, c);
          addColumns<<<dim3(n / 16 + 1, m / 16 + 1), dim3(16, 16)>>>(c, bias, m, n);
          clamp<<<m * n / 128 + 1, 128>>>(c, m * n);
        },
        [&] {
          columns::sgemmTiled_addColumns_clamp::Launch launch{grid, dim3(16, 16), {m, n, k, -0.125f, a, b, 0.5f, addend, c, bias}};
          require(columns::launch(launch), "columns");
          // Blocks would change what others have still to load.
          launch.arguments.bias = c;
          if (columns::launch(launch) != cudaErrorInvalidConfiguration)
            std::exit(2);
        });
    Array<float> turned(m * n), sum(m * n);
    Both turn;
    turn.output("turned", turned), turn.output("sum", sum), turn.output("out", out);
    const dim3 tiles((n + 31) / 32, (m + 31) / 32);
    good &= turn.same(
        "transposition",
        [&] {
          transposeTiled<float><<<tiles, dim3(32, 8)>>>(addend, turned, n, m);
          addResidual<<<m * n / 128 + 1, 128>>>(turned, c, sum, m * n);
        },
        [&] {
          turned::transposeTiled_addResidual::Launch launch{};
          launch.grid = tiles, launch.block = dim3(32, 8);
          launch.arguments = {addend, turned, n, m, c, sum};
          require(turned::launch(launch), "turned");
        });
    good &= turn.same(
        "transposition, in place",
        [&] {
          transposeTiled<float><<<tiles, dim3(32, 8)>>>(addend, turned, n, m);
          halved<<<m * n / 128 + 1, 128>>>(turned, sum, m * n);
          add<<<2, 128>>>(sum, c, m * n);
          clamp<<<m * n / 128 + 1, 128>>>(sum, m * n);
          halved<<<m * n / 128 + 1, 128>>>(sum, out, m * n);
        },
        [&] { require(added::launch({tiles, dim3(32, 8), {addend, turned, n, m, sum, c, out}}), "added"); });
  }
  return good ? 0 : 1;
}
