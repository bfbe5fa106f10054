// An operator on CUDA's vector type at global scope is found by its argument, though a nearer one hides the name.
// RUN: %cufuse fuse %s:geometry::move %s:geometry::generic --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

__device__ inline float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ inline float length(float2 a) { return a.x + a.y; }

namespace geometry {
struct Point {
  float2 at;
};
__device__ inline Point operator+(Point a, Point b) { return {a.at + b.at}; }
__device__ inline float length(Point p) { return length(p.at); }
template <typename T> __device__ T added(T a, T b) { return a + b; }

__global__ void move(Point *points) {
  points[threadIdx.x] = points[threadIdx.x] + points[0];
  points[0].at = points[1].at + points[2].at;
  points[1].at.x = length(points[0]);
}
__global__ void generic(float2 *data) { data[threadIdx.x] = added(data[threadIdx.x], data[0]); }
} // namespace geometry
