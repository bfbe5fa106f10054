// A file adds overloads of CUDA's names: each call still finds the candidates that it had.
// RUN: %cufuse fuse %s:mixes %s:other --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

struct Complex {
  float re, im;
};
__device__ inline double max(double a, Complex b) { return a > b.re ? a : b.re; }
__device__ inline Complex sqrt(Complex c) { return {sqrtf(c.re), c.im}; }
__device__ inline void atomicAdd(Complex *to, Complex c) {
  atomicAdd(&to->re, c.re);
  atomicAdd(&to->im, c.im);
}
__device__ inline float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ inline float2 &operator+=(float2 &a, float2 b) { return a = a + b; }
__device__ inline float4 operator*(float s, const float4 &v) { return make_float4(s * v.x, s * v.y, s * v.z, s * v.w); }
template <typename T> __device__ T larger(T a, T b) { return max(a, b); }

namespace geometry {
struct Point {
  float x;
};
__device__ inline Point operator+(Point a, Point b) { return {a.x + b.x}; }
__device__ float2 both(float2 a, Point p) {
  const Point q = p + p;
  return ::operator+(a, make_float2(q.x, q.x));
}
} // namespace geometry

namespace digits {
__device__ float round(float x, int digits) {
  const float scale = powf(10, digits);
  return roundf(x * scale) / scale;
}
} // namespace digits
using digits::round;

__global__ void mixes(float2 *data, Complex *c, float4 *v, int *ints) {
  data[threadIdx.x] += geometry::both(data[0], {1.0f});
  data[threadIdx.x].y = round(data[0].x) + round(data[0].y, 2);
  data[threadIdx.x].x = max(1.0, *c) + sqrt(2.0) + sqrt(*c).re;
  atomicAdd(c, *c);
  v[threadIdx.x] = 2.0f * v[0];
  static_assert(sizeof(max(1, 2)) == sizeof(int), "CUDA's for int");
  ints[threadIdx.x] = max(ints[0], 3) + larger(1, 2) + larger(1u, 2u);
  atomicAdd(ints, 1);
}
__global__ void other(int *ints) { ints[threadIdx.x] = max(ints[0], 3); }
