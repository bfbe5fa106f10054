// Inheritance, static members, nested classes, friends, members defined outside, class templates, CRTP, concepts of C++20.
// RUN: %cufuse fuse %s:derived '%s:crtp<4>' --block 64 --block 64 -o %t.cu -- -std=c++20
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -std=c++20 -cubin -o %t.cubin %t.cu

#include <concepts>

struct Base {
  int n;
  __device__ explicit Base(int n) : n(n) {}
  __device__ virtual int get() const { return n; }
  struct Nested {
    int v;
    static constexpr int Two = 2;
    friend __device__ int operator+(Nested a, Nested b) { return a.v + b.v; }
  };
  static __device__ int staticOf(int x) { return x + blockIdx.x; }
};
struct Derived final : Base {
  using Base::Base;
  __device__ int get() const override { return n + Nested::Two; }
  template <typename T> __device__ T cast() const;
  __device__ operator int() const { return n; }
  __device__ ~Derived() { n = 0; }
};
template <typename T> __device__ T Derived::cast() const { return T(n) + T(threadIdx.x); }

__global__ void derived(int *data) {
  Derived d(data[threadIdx.x]);
  data[threadIdx.x] = d.get() + d.cast<int>() + Base::staticOf(1) + (Base::Nested{1} + Base::Nested{2}) + d;
}

template <typename Self, int N> struct Unrolled {
  static constexpr int Count = N;
  __device__ void run(float *data) const;
};
template <typename Self, int N> __device__ void Unrolled<Self, N>::run(float *data) const {
#pragma unroll
  for (int i = 0; i < N; ++i)
    data[threadIdx.x + i * blockDim.x] = static_cast<const Self *>(this)->apply(data[threadIdx.x + i * blockDim.x]);
}
template <int N> struct Adds : Unrolled<Adds<N>, N> {
  __device__ float apply(float x) const { return x + this->Count; }
};
template <std::integral T> __device__ T half(T x) { return x / 2; }
template <typename T>
  requires(sizeof(T) > 8)
__device__ T half(T x) { return x; }

template <int N> __global__ void crtp(float *data) {
  Adds<N>().run(data);
  data[threadIdx.x] += half(N);
  if constexpr (N > 2) {
    auto twice = []<typename T>(T x) { return x * 2; };
    data[threadIdx.x] = twice(data[threadIdx.x]);
  }
}
