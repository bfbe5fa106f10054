// Of a list of blocks, copies or widths, the launch takes the one for its size, by a rule that the output says: few elements are
// spread over all multiprocessors, rows go to as few threads as have few elements each. What one does not take, the others
// do. With --apart-below, rows are counted by their elements.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse kernels.cu:plus kernels.cu:twice --link plus.out=twice.in --link plus.n=twice.n --dead plus.out --block 32,64 \
// RUN:   --vectorize 1,4 --name loop -o loop.cu | FileCheck %s --check-prefix=SAYS
// SAYS: loop_32_1.cu and loop_32_1.h are written: nvcc
// SAYS: loop_64_4.cu and loop_64_4.h are written: nvcc
// SAYS: loop.cu and loop.h are written: nvcc
// RUN: FileCheck %s --check-prefix=LOOP --input-file=loop.cu
// LOOP: ways[]){{.*}} = {by_loop_64_4, by_loop_32_4, by_loop_64_1, by_loop_32_1};
// LOOP: limits[] = {256, 128, 64};
// LOOP: elements < limits[best] * multiprocessors
// RUN: %cufuse fuse kernels.cu:grow kernels.cu:shares --link grow.stream=shares.x --block 64,32 --apart --apart-below 100 \
// RUN:   --name rows -o rows.cu
// RUN: FileCheck %s --check-prefix=ROWS --input-file=rows.cu
// ROWS: ways[]){{.*}} = {by_rows_32, by_rows_64};
// ROWS: limits[] = {128};
// ROWS: length > limits[best]
// RUN: %execute -I %S/Inputs -I . main.cu loop_32_1.cu loop_32_4.cu loop_64_1.cu loop_64_4.cu loop.cu rows_32.cu rows_64.cu rows.cu
// A launch with a grid cannot say what it would be for another block.
// RUN: %exits 1 %cufuse fuse kernels.cu:plus kernels.cu:total --link plus.out=total.x --link plus.n=total.n --dead plus.out \
// RUN:   --block 64,32 --name no -o no.cu 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: error: no launch can choose among blocks by its size: the launch's grid may depend on the block
// RUN: %exits 2 %cufuse fuse kernels.cu:plus kernels.cu:twice --block 64,32 -o no.cu 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: error: a list of blocks is for kernels with links and a --name, without --dry-run and --stop-after

//--- kernels.cu
__global__ void plus(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 5;
}
__global__ void twice(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
__global__ void total(const int *x, int *sum, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(sum, x[i]);
}
__global__ void grow(int *stream, const int *more, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    stream[i] += more[i];
}
__global__ void shares(const int *x, int *out, int width) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  int own = 0;
  for (int j = threadIdx.x; j < width; j += blockDim.x)
    own += x[blockIdx.x * width + j];
  atomicAdd(&sum, own);
  __syncthreads();
  for (int j = threadIdx.x; j < width; j += blockDim.x)
    out[blockIdx.x * width + j] = sum - x[blockIdx.x * width + j];
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "loop.h"
#include "rows.h"

int main() {
  constexpr int room = 60000, most = 700;
  bool good = true;
  Array<int> in(room, 7), middle(room), out(room), stream(3 * most), kept(3 * most, 5), more(3 * most, 9), rest(3 * most);
  for (int n : {0, 1, 250, 5000, room}) {
    Both loop;
    loop.output("out", out);
    good &= loop.same(
        "loop",
        [&] {
          plus<<<n / 64 + 1, 64>>>(in, middle, n);
          twice<<<n / 64 + 1, 64>>>(middle, out, n);
        },
        [&] { require(loop::plus_twice::launch(in, n, out), "loop"); }, n == 0);
  }
  for (int width : {1, 33, 128, 129, most}) {
    Both rows;
    rows.output("stream", stream), rows.output("rest", rest);
    rows::Way way = rows::Way::Fused;
    auto begin = [&] { cudaMemcpy(stream, kept, 3 * width * sizeof(int), cudaMemcpyDeviceToDevice); };
    auto apart = [&](cudaStream_t) {
      grow<<<3 * width / 64 + 1, 64>>>(stream, more, 3 * width);
      shares<<<3, 64>>>(stream, rest, width);
      return cudaGetLastError();
    };
    good &= rows.same("rows", [&] { begin(), apart(nullptr); },
                      [&] {
                        begin();
                        require(rows::grow_shares::launch(3, stream, more, 3 * width, rest, width, nullptr, apart, &way), "rows");
                      });
    good &= way == (3 * width < 100 ? rows::Way::Apart : rows::Way::Fused);
  }
  return good ? 0 : 1;
}
