// What one kernel stores by and another loads from is no null pointer: tests of it are known, and keep nothing in memory.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse kernels.cu:scale kernels.cu:tested --link scale.out=tested.in --link scale.n=tested.n --in-registers \
// RUN:   --dead scale.out --name dead -o dead.cu
// RUN: %cufuse fuse kernels.cu:scale kernels.cu:tested --link scale.out=tested.in --link scale.n=tested.n --in-registers \
// RUN:   --name live -o live.cu
// RUN: %cufuse fuse kernels.cu:scale kernels.cu:total --link scale.out=total.in --dead scale.out --in-registers \
// RUN:   --block 64 --recompute any --name sums -o sums.cu
// RUN: %execute -I %S/Inputs -I . main.cu dead.cu live.cu sums.cu
// Others may be null, and are asked.
// RUN: FileCheck %s --input-file=dead.cu --check-prefix=TEXT
// TEXT: if (NULL == cufuse_notNull(in) || out == NULL)
// TEXT: if (bias)
// TEXT: if (cufuse_notNull(in) && i < n)

//--- kernels.cu
__global__ void scale(const int *x, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] * 3;
}
__device__ inline int first(const int *from, int i) { return from != 0 ? from[i] : -1; }
template <typename T> __device__ T second(const T *from, int i) { return 0 == from ? -2 : static_cast<bool>(from) ? from[i] : -3; }
__global__ void tested(const int *in, const int *bias, int *out, int n) {
  if (NULL == in || out == NULL)
    return;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  if (bias)
    sum += bias[i % 7];
  const int *again = in;
  if (in && i < n)
    out[i] = sum + (in ? in[i] : 5) + first(in, i) + second(in, i) + (again == nullptr ? 9 : again[i]);
}
__global__ void total(const int *in, int *out, int n) {
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += in != nullptr ? in[blockIdx.x * n + i] : 1;
  atomicAdd(out + blockIdx.x, sum);
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "dead.h"
#include "live.h"
#include "sums.h"

int main() {
  Array<int> x(2048), t(2048), bias(7), y(2048);
  Both live, dead;
  live.output("y", y), live.output("t", t), dead.output("y", y);
  bool good = dead.same("sums", [&] { scale<<<8, 256>>>(x, t, 2000), total<<<10, 64>>>(t, y, 200); },
                        [&] { require(sums::launch({10, {x, t, 2000, y, 200}}), "sums"); });
  for (int *given : {bias.data, static_cast<int *>(nullptr)}) {
    auto apart = [&] { scale<<<6, 256>>>(x, t, 1500), tested<<<6, 256>>>(t, given, y, 1500); };
    good &= live.same("live", apart, [&] { require(live::launch({6, {x, t, 1500, given, y}}), "live"); });
    good &= dead.same("dead", apart, [&] { require(dead::launch({6, {x, 1500, given, y}}), "dead"); });
  }
  return good ? 0 : 1;
}
