// --bind compiles a second kernel for given arguments, --unroll the grid-stride loop; the launcher takes the kernel with the
// arguments only when they are the given ones.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:scale %t/kernels.cu:shift --block 128 --block 64 --name bound --bind scale.stride=3 \
// RUN:   --bind scale.factor=-0.0f --bind shift.by=7 --unroll scale=4 --unroll shift=2 -o %t/bound.cu
// RUN: FileCheck %s --input-file=%t/bound.cu
// RUN: %cufuse fuse %t/kernels.cu:scale %t/kernels.cu:shift --block 128 --block 64 --name bound -o %t/plain.cu
// RUN: FileCheck %s --check-prefix=PLAIN --input-file=%t/plain.cu
// RUN: %execute -I %S/../Running/Inputs -I %t %t/main.cu %t/bound.cu
// CHECK: _Pragma("unroll 4") for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
// CHECK: _Pragma("unroll 2") LOOP(i, n)
// CHECK: __global__ void fused(
// CHECK: scale_factor);
// CHECK: /// The same with arguments that are known: only launched where the given ones are these.
// CHECK-NEXT: __global__ void fused_bound(
// CHECK: static_cast<decltype(scale_stride)>(3), static_cast<decltype(scale_factor)>(-0.0f));
// CHECK: static_cast<decltype(shift_by)>(7));
// CHECK: const bool bound = sameBits(scaleLaunch.arguments.stride, static_cast<decltype(scaleLaunch.arguments.stride)>(3)) &&
// CHECK: const auto kernel = bound ? fused_bound : fused;
// CHECK: cudaLaunchKernelEx(&config, kernel,
// PLAIN-NOT: {{unroll|fused_bound|sameBits}}

//--- kernels.cu
#define LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
__global__ void scale(const float *in, float *out, int n, int stride, float factor) {
  const int threads = blockDim.x, step = threads * gridDim.x;
  for (int round = 0; round < 2; ++round)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
      out[i] = in[i * stride % n] * factor + round;
}

__global__ void shift(const int *in, int *out, int n, long by) {
  LOOP(i, n)
    out[i] = in[i] + by * (i % 3);
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "bound.h"

int main() {
  Array<float> in(5000), a(5000);
  Array<int> numbers(5000), b(5000);
  Both both;
  both.output("a", a), both.output("b", b);
  bool good = true;
  for (int stride : {3, 4})
    for (float factor : {0.0f, -0.0f, 2.5f})
      for (int by : {7, 8})
        good &= both.same("bound",
                          [&] { scale<<<5, 128>>>(in, a, 5000, stride, factor), shift<<<9, 64>>>(numbers, b, 4000, by); },
                          [&] {
                            require(bound::launch({5, {in, a, 5000, stride, factor}}, {9, {numbers, b, 4000, by}}),
                                    "bound");
                          });
  return good ? 0 : 1;
}
