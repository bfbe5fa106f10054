// A name means what the using-declaration that was found makes of it: variables, functions, enumerators, all of an
// enumeration, templates.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:inside %s:above --block 64 --block 64 -o %t/out.cu -- -std=c++20
// RUN: FileCheck %s --input-file %t/out.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -std=c++20 -cubin -o %t/out.cubin %t/out.cu

// CHECK: namespace {{.*}}_inside {
// CHECK: using a::width;
// CHECK: using a::Red;
// CHECK: using enum Shade;
// CHECK: namespace {{.*}}_above {
// CHECK: using a::plus;
// CHECK: using a::Pair;

namespace a {
constexpr int width = 4;
enum Colour { Red = 5 };
__device__ int plus(int x) { return x + 1; }
template <typename T> struct Pair {
  T first, second;
};
} // namespace a
enum class Shade { Dark = 7 };
constexpr int width = 1;
enum Other { Red = 2, Dark = 3 };

namespace inner {
using a::width;
using a::Red;
using enum Shade;
__device__ int all() { return width + 10 * Red + 100 * static_cast<int>(Dark); }
} // namespace inner
__global__ void inside(int *out) { out[threadIdx.x] = inner::all() + width + Red + Dark; }

using a::plus;
using a::Pair;
__global__ void above(int *out) {
  const Pair<int> two{1, 2};
  out[threadIdx.x] = plus(two.second);
}
