// Tables of function pointers, pointers as template arguments, functions with C linkage, several declarators in one;
// virtual functions, pure ones and destructors among them.
// RUN: %cufuse fuse %s:pointers %s:linkage %s:chained %s:shapes --block 64 --block 64 --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

typedef float (*Operation)(float);
__device__ float shifted(float x) { return x + threadIdx.x; }
__device__ float twice(float x) { return x * 2; }
__device__ Operation const Operations[] = {shifted, twice};
template <Operation F> __device__ float apply(float x) { return F(x); }

__global__ void pointers(float *data) {
  Operation chosen = data[0] > 0 ? shifted : &twice;
  data[threadIdx.x] = chosen(1) + Operations[1](2) + apply<shifted>(1);
}

extern "C" {
struct Parameters {
  int x;
};
constexpr int A = 1, B = A + 1;
__device__ const int First[2] = {1, 2}, Second[2] = {3, 4};
__device__ int f(int), g(int);
__device__ int f(int x) { return x + B; }
__device__ int g(int x) { return x + Second[x % 2] + First[0]; }
__global__ void linkage(float *data, Parameters parameters) { data[threadIdx.x] = f(parameters.x) + g(2) + A; }
}

// What a pointer leads to may call through it again.
__device__ unsigned down(unsigned v);
__device__ unsigned up(unsigned v) { return v + 1; }
__device__ unsigned (*const Steps[])(unsigned) = {down, up};
__device__ unsigned down(unsigned v) { return v > 5 ? Steps[v % 2](v - 1) : v; }
__global__ void chained(unsigned *out) { out[threadIdx.x] = Steps[out[threadIdx.x] % 2](threadIdx.x); }

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ Square(float side) : side(side) {}
  __device__ float area() const override { return side * side; }
};
struct Point : Shape {
  __device__ float area() const override;
  __device__ ~Point() override {}
};
__device__ float Point::area() const { return threadIdx.x % 2; }
__device__ float areaOf(const Shape &shape) { return shape.area(); }
__global__ void shapes(float *out) {
  Square square(threadIdx.x);
  Point point;
  const Shape &chosen = out[threadIdx.x] > 0 ? static_cast<const Shape &>(square) : point;
  out[threadIdx.x] = areaOf(square) + areaOf(chosen);
}
