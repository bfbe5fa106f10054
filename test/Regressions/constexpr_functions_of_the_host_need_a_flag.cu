// Without --expt-relaxed-constexpr, nvcc compiles no call of a constexpr function in device code, constant or not.
// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:limit %s:helper %s:member %s:folded %s:largest --block 64 --block 64 --block 64 --block 64 \
// RUN:   --block 64 -o %t/out.cu -- -std=c++20 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:limit %s:helper %s:member %s:folded %s:largest --block 64 --block 64 --block 64 --block 64 --block 64 \
// RUN:   -o %t/out.cu -- -std=c++20 --expt-relaxed-constexpr
// What nvcc accepts: functions of both sides, with a warning in them; what only a type is asked of; constants; what is
// defaulted, evaluated at once, moved, or a default argument.
// RUN: %cufuse fuse %s:accepted %s:accepted --block 64 --block 64 -o %t/more.cu -- -std=c++20
// RUN: %nvcc -std=c++20 -arch=sm_90a -c %t/more.cu -o %t/more.o 2>/dev/null
#include <algorithm>
#include <limits>
#include <utility>

constexpr int twice(int n) { return 2 * n; }
template <class T> constexpr T thrice(T n) { return 3 * n; }
struct Pair {
  int x;
  constexpr Pair(int x) : x(x) {}
  constexpr operator int() const { return x; }
  constexpr bool operator==(const Pair &) const = default;
};

__global__ void limit(float *a) {
  // CHECK: {{[^ ]*}}:[[#@LINE+2]]:{{[0-9]+}}: error: limit: {{.*}} nvcc does not without
  // CHECK-SAME: --expt-relaxed-constexpr: std::numeric_limits<float>::max, constexpr and not of the device, is called in limit
  a[threadIdx.x] = std::numeric_limits<float>::max();
  // CHECK: note: correct the error, or pass the missing flags after `--`
}
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: error: helper: {{.*}}: thrice{{.*}}is called in calling
__device__ int calling(int n) { return thrice(n); }
__global__ void helper(int *a) { a[threadIdx.x] = calling(threadIdx.x); }
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: error: member: {{.*}}: Pair::operator int, {{.*}} in member
__global__ void member(int *a, const Pair p) { a[threadIdx.x] = p; }
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: error: folded: {{.*}}: twice, {{.*}} in folded
__global__ void folded(int *a) { if constexpr (twice(2) == 4) a[threadIdx.x] = 1; }
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: error: largest: {{.*}}: std::max{{.*}} in largest
__global__ void largest(int *a) { a[threadIdx.x] = std::max(a[threadIdx.x], 3); }

constexpr int Table = twice(5);
consteval int atOnce(int n) { return n + 1; }
__host__ __device__ int both(int n) { return twice(n); }
__device__ int byDefault(int n = twice(2)) { return n; }
__global__ void accepted(int *a, Pair p, Pair q) {
  int i = threadIdx.x;
  auto lambda = [](int n) constexpr { return n; };
  a[i] = Table + atOnce(3) + both(i) + byDefault() + sizeof(twice(i)) + (p == q) + lambda(std::move(i));
}
