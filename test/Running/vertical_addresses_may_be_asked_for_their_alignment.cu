// In turn, where pointers stay pointers, a kernel may ask whether its rows begin at a multiple of 16 bytes.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:scale kernels.cu:rowSum --distinct --name rows -o rows.cu
// RUN: %cufuse fuse --vertical kernels.cu:scale kernels.cu:flags --distinct --name flat -o flat.cu
// Arrays that no link leads to are pointers in every form.
// RUN: %cufuse fuse --vertical kernels.cu:flags kernels.cu:scale --distinct --in-registers --name asks -o asks.cu
// RUN: %execute -I %S/Inputs -I . main.cu rows.cu flat.cu asks.cu
// An object has no address, and an address that becomes a pointer again leads anywhere.
// RUN: not %cufuse fuse --vertical kernels.cu:scale kernels.cu:flags --distinct --in-registers -o no.cu 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: not %cufuse fuse --vertical kernels.cu:scale kernels.cu:rounded --distinct -o no.cu 2>&1 | FileCheck %s --check-prefix=BACK
// RUN: %cufuse inspect kernels.cu:lanes | FileCheck %s --check-prefix=LANES
// ASKED: [IntermediateEscapes]
// BACK: rounded: in at {{.*}} [IntermediateEscapes]
// BACK: rounded uses an address that it computes
// LANES: not pointwise {{.*}}: 'an address' depends on the thread other than by its linear index: 4 * threadIdx.x

//--- kernels.cu
#include <cstdint>
__global__ void scale(const int *x, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] * 3;
}
__device__ bool isAligned(const int *p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }
__global__ void rowSum(const int *in, int *sums, int columns) {
  __shared__ int sum;
  in += blockIdx.x * columns;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  if (isAligned(in) && columns % 4 == 0)
    for (int i = threadIdx.x; i < columns / 4; i += blockDim.x) {
      const int4 four = reinterpret_cast<const int4 *>(in)[i];
      atomicAdd(&sum, four.x + four.y + four.z + four.w);
    }
  else
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
      atomicAdd(&sum, in[i]);
  __syncthreads();
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}
__global__ void flags(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + (isAligned(in) ? 1 : 2) + (isAligned(in + i) ? 10 : 20);
}
__global__ void rounded(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = *reinterpret_cast<const int *>(reinterpret_cast<std::uintptr_t>(in) / 16 * 16 + 4 * i);
}
__global__ void lanes(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + (isAligned(in + threadIdx.x) ? 1 : 2);
}
void run(const int *x, int *t, int *y, int rows, int columns, int n) {
  scale<<<(rows * columns + 63) / 64, 64>>>(x, t, rows * columns);
  rowSum<<<rows, 64>>>(t, y, columns);
  scale<<<(n + 63) / 64, 64>>>(x, t, n);
  flags<<<(n + 63) / 64, 64>>>(t, y, n);
  flags<<<(n + 63) / 64, 64>>>(x, t, n);
  scale<<<(n + 63) / 64, 64>>>(t, y, n);
  rounded<<<(n + 63) / 64, 64>>>(y, t, n);
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "asks.h"
#include "flat.h"
#include "rows.h"

int main() {
  bool good = true;
  for (int rows : {1, 5})
    for (int columns : {1, 7, 8, 64, 101, 256})
      for (int first : {0, 1}) { // of 16 bytes, or behind
        const int n = rows * columns;
        Array<int> x(n), t(n + 1), y(n);
        Both both;
        both.output("t", t), both.output("y", y);
        int *from = t.data + first;
        good &= both.same(
            "rows", [&] { scale<<<(n + 63) / 64, 64>>>(x, from, n), rowSum<<<rows, 64>>>(from, y, columns); },
            [&] { require(::rows::launch({dim3(rows), 64, {x, from, n, y, columns}}), "rows"); });
        good &= both.same(
            "flat", [&] { scale<<<(n + 63) / 64, 64>>>(x, from, n), flags<<<(n + 63) / 64, 64>>>(from, y, n); },
            [&] { require(flat::launch({{}, {x, from, n, y}}), "flat"); });
        require(flat::launch({{}, {x, from, 0, y}}), "no elements");
        const int rest = n - first;
        good &= both.same(
            "asks",
            [&] { flags<<<(n + 63) / 64, 64>>>(x + first, t, rest), scale<<<(n + 63) / 64, 64>>>(t, y, rest); },
            [&] { require(asks::launch({{}, {x + first, t, rest, y}}), "asks"); }, /*idle=*/true);
      }
  return good ? 0 : 1;
}
