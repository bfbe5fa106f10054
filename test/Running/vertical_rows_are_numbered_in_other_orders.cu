// Rows may be numbered by the digits of a thread's or block's number in another order, and by the last dimension of the
// grid before the first.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:weigh kernels.cu:gather --link weigh.w=gather.w --link weigh.steps=gather.steps \
// RUN:   --link weigh.heads=gather.heads --link weigh.batch=gather.batch --distinct --block 128 --name threads -o %t/threads.cu
// RUN: %cufuse fuse --vertical kernels.cu:centre kernels.cu:addBias --link centre.y=addBias.y --distinct --block 32 \
// RUN:   --name blocks -o %t/blocks.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/threads.cu %t/blocks.cu
// RUN: FileCheck %s --input-file %t/blocks.cu
// CHECK: block = 1ll * blockIdx.x * gridDim.y + blockIdx.y;
//
// Where the consumer numbers its rows otherwise, another thread has them.
// RUN: %exits 1 %cufuse fuse --vertical kernels.cu:weigh kernels.cu:inOrder --link weigh.w=inOrder.w \
// RUN:   --link weigh.steps=inOrder.steps --link weigh.heads=inOrder.heads --link weigh.batch=inOrder.batch --distinct \
// RUN:   --block 128 --name none -o %t/none.cu 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: in turn: a block may use what another kernel stores

//--- kernels.cu
__global__ void weigh(float *w, const float *x, int batch, int steps, int heads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < batch * steps * heads) {
    const int h = i % heads, t = i / heads % steps, b = i / (heads * steps);
    float *row = w + b * heads * steps * steps + h * steps * steps + t * steps;
    float sum = 0;
    for (int k = 0; k <= t; k++) {
      row[k] = x[k] + i;
      sum += row[k];
    }
    for (int k = 0; k < steps; k++)
      row[k] = k <= t ? row[k] / sum : 0;
  }
}
__global__ void gather(float *out, const float *w, int batch, int steps, int heads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < batch * steps * heads) {
    const int h = i % heads, t = i / heads % steps, b = i / (heads * steps);
    const float *row = w + b * heads * steps * steps + h * steps * steps + t * steps;
    float sum = 0;
    for (int k = 0; k <= t; k++)
      sum += k * row[k];
    out[i] = sum;
  }
}
__global__ void inOrder(float *out, const float *w, int batch, int steps, int heads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < batch * steps * heads)
    out[i] = w[i * steps];
}

__global__ void centre(float *y, const float *x, int heads, int columns) {
  __shared__ float sum;
  const int row = blockIdx.x * heads + blockIdx.y;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < columns; ++i)
      sum += x[row * columns + i];
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[row * columns + i] = x[row * columns + i] - sum / columns;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) // so it is no map at its stores
    y[row * columns + i] *= 0.5f;
}
__global__ void addBias(float *out, const float *y, float bias, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = y[i] + bias;
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "blocks.h"
#include "threads.h"

int main() {
  constexpr int batch = 3, steps = 7, heads = 4, columns = 50, rows = batch * heads, all = batch * heads * steps;
  Array<float> x(rows * columns), w(all * steps), y(rows * columns), out(rows * columns);
  Both both;
  both.output("w", w);
  both.output("y", y);
  both.output("out", out);
  threads::weigh_gather::Launch each{};
  each.arguments.w = w, each.arguments.x = x, each.arguments.out = out;
  each.arguments.batch = batch, each.arguments.steps = steps, each.arguments.heads = heads;
  bool good = both.same(
      "threads",
      [&] {
        weigh<<<2, 64>>>(w, x, batch, steps, heads);
        gather<<<2, 64>>>(out, w, batch, steps, heads);
      },
      [&] { require(threads::launch(each, nullptr), "threads"); });
  blocks::centre_addBias::Launch turned{};
  turned.grid = dim3(batch, heads);
  turned.arguments.y = y, turned.arguments.x = x, turned.arguments.heads = heads, turned.arguments.columns = columns;
  turned.arguments.out = out, turned.arguments.bias = 2, turned.arguments.n = rows * columns;
  good &= both.same(
      "blocks",
      [&] {
        centre<<<dim3(batch, heads), 32>>>(y, x, heads, columns);
        addBias<<<(rows * columns + 31) / 32, 32>>>(out, y, 2, rows * columns);
      },
      [&] { require(blocks::launch(turned, nullptr), "blocks"); });
  // With another number of heads than the grid has, rows would be other blocks'.
  turned.grid = dim3(heads, batch);
  good &= blocks::launch(turned, nullptr) == cudaErrorInvalidConfiguration;
  return good ? 0 : 1;
}
