// The host code of an explicit instance is made whether or not anybody calls it, and calls what the host has.
// RUN: %cufuse inspect --full %s:fill | FileCheck %s
// RUN: %exits 1 %cufuse fuse %s:fill --block 128 -o %t.cu
// CHECK: launched with 512
#include <algorithm>
template <int N> __global__ void fill(float *x) { x[blockIdx.x * N + threadIdx.x] = N; }
template <int N> struct Solver {
  float *x, *y;
  void solve();
};
template <int N> void Solver<N>::solve() {
  std::swap(x, y);
  fill<N><<<64, N>>>(x);
}
template struct Solver<512>;
