// A function that calls the one of the same name and parameters around its namespace, by that one's whole name.
// RUN: %cufuse fuse %s:app::outer %s:app::detail::inner %s:q::ka --block 64 --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// Overloads of other parameters are still found by their arguments.
// RUN: %cufuse fuse %s:geometry::move %s:q::ka --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
__device__ float act(float a) { return a * 3; }
template <typename T> __device__ T twice(T a) { return a * 2; }
namespace q {
__device__ float act(float a) { return ::act(a) + 1; }
template <typename T> __device__ T twice(T a) { return ::twice(a) + 1; }
__global__ void ka(float *y) { y[threadIdx.x] = act(y[threadIdx.x]) + twice(1); }
} // namespace q

namespace app {
__device__ float help(float a) { return a * 3; }
__global__ void outer(float *y) { y[threadIdx.x] = help(y[threadIdx.x]); }
namespace detail {
__device__ float help(float a) { return app::help(a) - 5; }
__global__ void inner(float *y) { y[threadIdx.x] = help(y[threadIdx.x]); }
} // namespace detail
} // namespace app

__device__ inline float length(float2 a) { return a.x + a.y; }
namespace geometry {
struct Point {
  float2 at;
};
__device__ inline float length(Point p) { return length(p.at); }
__global__ void move(Point *points) { points[0].at.x = length(points[threadIdx.x]); }
} // namespace geometry
