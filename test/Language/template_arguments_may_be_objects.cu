// C++20: a template's argument may be an object of a class, or a lambda.
// RUN: %cufuse fuse %s:scaled %s:shifted --block 64 --block 96 --name objects -o %t.cu -- -std=c++20
// RUN: %nvcc -std=c++20 -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %cufuse fuse %s:'of<Shape{3, 2}>' --block 64 --name objects -o %t.named.cu -- -std=c++20
// RUN: %nvcc -std=c++20 -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.named.cu
struct Shape {
  int by, times;
  constexpr bool operator==(const Shape &) const = default;
};
template <Shape S> struct Shaped {
  static __device__ int of(int x) { return x * S.by + S.times; }
};
template <auto F> __device__ int applied(int x) { return F(x); }
__global__ void scaled(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = Shaped<Shape{5, 7}>::of(in[i]) + applied<[](int x) { return 3 * x; }>(in[i]);
}
template <Shape S> __device__ int steps(int x) {
  for (int k = 0; k < S.times; ++k)
    x += S.by * k;
  return x;
}
__global__ void shifted(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = steps<Shape{3, 2}>(in[i]);
}
template <Shape S> __global__ void of(int *out) { out[threadIdx.x] = S.by; }
template __global__ void of<Shape{3, 2}>(int *);
