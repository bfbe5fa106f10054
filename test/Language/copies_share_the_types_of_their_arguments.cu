// Helpers and operators on a parameter's type, its namespaces and specialisations, in a kernel that is played twice.
// RUN: %cufuse fuse %s:lib::blend --block 64 --copies 2 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

namespace lib {
enum Border { Clamp, Wrap };
enum { Taps = 3 };
template <typename T> struct Traits {
  static constexpr int Width = 1;
};
template <> struct Traits<float> {
  static constexpr int Width = 4;
};
struct Color {
  float r[Traits<float>::Width];
};
__device__ inline Color operator+(Color a, Color b) { return {{a.r[0] + b.r[0], a.r[1] + b.r[1]}}; }
__device__ inline Color faded(Color a, unsigned by = threadIdx.x) { return {{a.r[0] / (by + 1)}}; }
template <typename T> __device__ T added(T a, T b) { return a + b; }
namespace deep {
struct Options {
  Border border;
  Color color;
};
} // namespace deep
__global__ void blend(Color *colors, deep::Options options) {
  static_assert(Traits<float>::Width == 4 && Taps == 3, "the specialisation");
  if (options.border == Wrap)
    colors[threadIdx.x] = added(colors[threadIdx.x] + options.color, faded(colors[0]));
}
} // namespace lib
