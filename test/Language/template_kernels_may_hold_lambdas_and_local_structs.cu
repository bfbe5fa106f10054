// In a template: generic and capturing lambdas, a local structure, `if constexpr`.
// RUN: %cufuse fuse '%s:locals<4>' '%s:locals<2>' --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -std=c++20 -cubin -o %t.cubin %t.cu
// RUN: %FileCheck %s < %t.cu

// CHECK-COUNT-2: __device__ __forceinline__ void locals(float *data)
// CHECK-NOT: void locals(float *data)

template <int N> __global__ void locals(float *data) {
  struct Local {
    float v;
    __device__ float times(int n) const { return v * n; }
  };
  auto plain = [=](int i) { return data[i] + N; };
  auto generic = [&](auto x) { return x * N; };
  Local local{plain(threadIdx.x)};
  if constexpr (N > 2) {
    auto twice = [](auto x) { return x * 2; };
    local.v = twice(local.v);
  }
  data[threadIdx.x] = generic(local.times(N));
}
