// Macros spell whole kernels, their heads, their bodies; of the file and of a header; macros that call macros.
// RUN: split-file %s %t
// RUN: cd %t && %cufuse fuse kernels.cu:reverse_float kernels.cu:reverse_int kernels.cu:ns::scaled_double \
// RUN:   'kernels.cu:sum<int, 64>' --block 64 --block 64 --block 32 --block 64 --name match -o match.cu
// RUN: cd %t && %cufuse fuse kernels.cu:reverse_float kernels.cu:with_head kernels.cu:of_a_header kernels.cu:body_given \
// RUN:   kernels.cu:shared_by_macro --block 64 --block 32 --block 64 --block 64 --block 64 --grid-policy stride --name stride -o stride.cu
// RUN: FileCheck %s --input-file=%t/match.cu --check-prefix=WHOLE
// RUN: FileCheck %s --input-file=%t/stride.cu --check-prefix=HEAD
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu

// The text keeps the lines and comments of the macro.
// WHOLE: #line 27 "kernels.cu"
// WHOLE-NEXT: __device__ __forceinline__ void reverse_float(const uint3 blockIdx, const float *in, float *out, int n) {
// WHOLE-NEXT:   __shared__ float tile[64];
// WHOLE-NEXT:   const int i = blockIdx.x * blockDim.x + threadIdx.x; /* of the grid */
// WHOLE-NEXT:   tile[threadIdx.x] = 5;
// WHOLE-NEXT:   __syncthreads();
// WHOLE-NEXT:   if (i >= n)
// WHOLE-NEXT:     return cufuse_partition::leave();
// HEAD: __device__ __forceinline__ void with_head(const uint3 blockIdx, const int *in, int *out) {
// HEAD-NEXT:   out[

//--- kernels.cu
#include "header.h"
// All that can be said of a kernel.
#define REVERSE(type, ...)                                                                                             \
  __global__ void reverse_##type(const type *in, type *out, int n) {                                                   \
    __shared__ type tile[64];                                                                                          \
    const int i = blockIdx.x * blockDim.x + threadIdx.x; /* of the grid */                                             \
    tile[threadIdx.x] = 5;                                                                                             \
    __syncthreads();                                                                                                   \
    if (i >= n)                                                                                                        \
      return;                                                                                                          \
    tile[threadIdx.x] = in[i] + sizeof(#type) - sizeof(#type);                                                         \
    __syncthreads();                                                                                                   \
    out[i] = twice(tile[63 - threadIdx.x], ##__VA_ARGS__);                                                             \
  }                                                                                                                    \
  inline void launch_##type(const type *in, type *out, int n) { reverse_##type<<<4, 64>>>(in, out, n); }
#define SCALED(name, type, by)                                                                                         \
  __global__ void name##_##type(const int *in, int *out) {                                                             \
    extern __shared__ type dynamic[];                                                                                  \
    dynamic[threadIdx.x] = static_cast<type>(in[threadIdx.x]) * by;                                                    \
    __syncwarp();                                                                                                      \
    out[blockIdx.x * 32 + threadIdx.x] = dynamic[31 - threadIdx.x];                                                    \
  }
#define ALL_OF(type)                                                                                                   \
  SCALED(scaled, type, 2)                                                                                              \
  SCALED(scaled_thrice, type, 3)

REVERSE(float)
REVERSE(int, 3);
namespace ns {
ALL_OF(double)
} // namespace ns

// Several declarations of which dynamic shared memory is one.
#define DYNAMIC(type, name)                                                                                            \
  extern __shared__ __align__(16) unsigned char name##_bytes[];                                                        \
  type *name = reinterpret_cast<type *>(name##_bytes)
__device__ int last_of(int value) {
  DYNAMIC(int, values);
  values[threadIdx.x] = value;
  __syncthreads();
  return values[63 - threadIdx.x];
}
__global__ void shared_by_macro(const int *in, int *out) {
  DYNAMIC(int, words);
  words[64 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  out[blockIdx.x * 64 + threadIdx.x] = last_of(in[threadIdx.x]) * 3 + words[127 - threadIdx.x];
}

#define HEAD(name) __global__ void __launch_bounds__(64) name
#define KERNEL __global__ void
#define TEMPLATE template <typename T, int N>
HEAD(with_head)(const int *in, int *out) {
  out[blockIdx.x * 32 + threadIdx.x] = in[threadIdx.x] + __LINE__;
}
TEMPLATE KERNEL sum(const T *in, T *out) {
  __shared__ T sums[N];
  sums[threadIdx.x] = in[blockIdx.x * N + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    T sum = 0;
    for (int i = 0; i < N; ++i)
      sum += sums[i];
    out[blockIdx.x] = sum;
  }
}
HEADER_KERNEL(of_a_header)
#define WITH_BODY(name, ...) __global__ void name(const int *in, int *out) __VA_ARGS__
WITH_BODY(body_given, {
  const int from = threadIdx.x ^ 1; // of the pair
  out[blockIdx.x * 64 + threadIdx.x] = max(in[from], 7);
})

//--- header.h
#pragma once
template <typename T> __device__ T twice(T x, int more = 0) { return x * 2 + more; }
#define HEADER_KERNEL(name)                                                                                            \
  __global__ void name(const int *in, int *out) {                                                                      \
    out[blockIdx.x * blockDim.x + threadIdx.x] = twice(in[threadIdx.x]);                                               \
  }

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "match.h"
#include "stride.h"

int main() {
  constexpr int n = 4096;
  Array<float> x(n), y(n);
  Array<int> in(n), a(n), b(n), c(n), d(n);
  Both both;
  both.output("y", y), both.output("a", a), both.output("b", b), both.output("c", c), both.output("d", d);
  bool good = both.same(
      "match",
      [&] {
        reverse_float<<<4, 64>>>(x, y, 250);
        reverse_int<<<3, 64>>>(in, a, 150);
        ns::scaled_double<<<7, 32, 32 * sizeof(double)>>>(in, b);
        sum<int, 64><<<9, 64>>>(in, c);
      },
      [&] {
        require(match::launch({4, {x, y, 250}}, {3, {in, a, 150}}, {7, 32 * sizeof(double), {in, b}},
                              {9, {in, c}}),
                "match");
      });
  good &= both.same(
      "stride",
      [&] {
        reverse_float<<<40, 64>>>(x, y, 2501);
        with_head<<<20, 32>>>(in, a);
        of_a_header<<<30, 64>>>(in, b);
        body_given<<<5, 64>>>(in, c);
        shared_by_macro<<<20, 64, 512>>>(in, d);
      },
      [&] {
        require(stride::launch({40, {x, y, 2501}}, {20, {in, a}}, {30, {in, b}}, {5, {in, c}},
                               {20, 512, {in, d}}),
                "stride");
      });
  return good ? 0 : 1;
}
