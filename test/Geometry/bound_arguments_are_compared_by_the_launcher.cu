// --bind compiles a second kernel for given arguments, --unroll the grid-stride loop; the launcher takes the kernel with the
// arguments only when they are the given ones.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:scale %t/kernels.cu:shift --block 128 --block 64 --name bound --bind scale.stride=3 \
// RUN:   --bind scale.factor=-0.0f --bind shift.by=7 --unroll scale=4 --unroll shift=2 -o %t/bound.cu
// RUN: FileCheck %s --input-file=%t/bound.cu
// RUN: %cufuse fuse %t/kernels.cu:scale %t/kernels.cu:shift --block 128 --block 64 --name bound -o %t/plain.cu
// RUN: FileCheck %s --check-prefix=PLAIN --input-file=%t/plain.cu
// An enumeration of the file, of which the launcher has the bytes, and what is volatile are numbers, too.
// RUN: %cufuse fuse %t/kernels.cu:scale %t/other.cu:other --block 128 --block 64 --name more --bind other.way=1 \
// RUN:   --bind other.by=2 -o %t/more.cu
// RUN: FileCheck %s --check-prefix=MORE --input-file=%t/more.cu
// MORE: static_cast<std::decay<{{.*}}::Way{{.*}}>::type>(1), static_cast<decltype(other_by)>(2));
// MORE: const bool bound = sameBits(otherLaunch.arguments.way, static_cast<unsigned long long>(1)) &&
// RUN: %cufuse fuse %t/kernels.cu:scale %t/enums.cu:enums --block 128 --block 64 --bind enums.e=5 --bind enums.f=1 -o %t/enums.out.cu
// RUN: %execute -I %S/../Running/Inputs -I %t %t/main.cu %t/bound.cu %t/more.cu
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

//--- other.cu
enum class Way : unsigned char { Up, Down };
__global__ void other(int *out, int n, Way way, volatile int by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = (way == Way::Up ? i : n - i) * by;
}

//--- enums.cu
enum E { A, B = 5 };
enum class F { X, Y };
__global__ void enums(int *out, E e, F f) { out[threadIdx.x] = e + static_cast<int>(f); }

//--- main.cu
#include "both.h"
#include "kernels.cu"
#include "other.cu"

#include "bound.h"
#include "more.h"

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
  for (Way way : {Way::Up, Way::Down})
    for (int by : {2, 3})
      good &= both.same("more",
                        [&] { scale<<<5, 128>>>(in, a, 5000, 3, 1.5f), other<<<9, 64>>>(b, 4000, way, by); },
                        [&] {
                          more::other::Launch launch{9};
                          launch.arguments.out = b, launch.arguments.n = 4000;
                          launch.arguments.way = way, launch.arguments.by = by;
                          require(more::launch({5, {in, a, 5000, 3, 1.5f}}, launch), "more");
                        });
  return good ? 0 : 1;
}
