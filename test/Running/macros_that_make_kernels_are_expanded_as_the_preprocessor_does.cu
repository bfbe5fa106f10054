// Arguments are expanded before they are put in, # makes strings of them as they are written, and __LINE__ is the first
// line of the call: in functions, initialisers, enumerators and types alike. What is a macro of a library stays one.
// RUN: split-file %s %t
// RUN: cd %t && %cufuse fuse kernels.cu:axpy kernels.cu:listed kernels.cu:measured --block 64 --block 64 --block 64 --name first -o first.cu
// RUN: cd %t && %cufuse fuse included.cu:scale_float included.cu:scale_double --block 64 --block 64 \
// RUN:   --name second -o second.cu --depfile second.d
// RUN: FileCheck %s --input-file=%t/second.d --check-prefix=DEPENDS
// RUN: FileCheck %s --input-file=%t/first.cu
// RUN: FileCheck %s --input-file=%t/second.cu --check-prefix=INCLUDED
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/first.cu %t/second.cu
// Clang, which reads for the emulator, has another number than gcc, which reads for nvcc, where a call has several lines.
// RUN: cd %t && %nvcc -arch=sm_90a --ptx -o kernels.ptx kernels.cu && FileCheck %s --input-file=kernels.ptx --check-prefix=PTX
// RUN: cd %t && %cufuse fuse kernels.cu:lined kernels.cu:listed --block 64 --block 64 --name third -o third.cu
// RUN: cd %t && %nvcc -arch=sm_90a --ptx -o third.ptx third.cu && FileCheck %s --input-file=third.ptx --check-prefix=PTX
// PTX: lined_line{{[A-Z]*}} = 42;
// PTX: lined_length{{[A-Z]*}} = 9;

// CHECK: axpy_type[] = "double";
// CHECK: listed_numbers[] = "1, 2 , 3 \"a  b\" '\\''" "1000000";
// CHECK: assert(x[0] < LIMIT && "as  written");
// CHECK: _Pragma("unroll")
// CHECK: for (int k = 0; k < INT_MAX && k < 5; ++k)
// INCLUDED: #line 3 "{{(./)?}}scale.inl"
// INCLUDED: void scale_float(T *o)
// INCLUDED: void scale_double(T *o)
// DEPENDS: scale.inl

//--- kernels.cu
#include <cassert>
#include <climits>
#define REAL double
#define LIMIT 1000000
#define RADIUS 12345
#define TAG(type) #type
#define LENGTH(x) int(sizeof(#x) - 1)
#define STR_(x) #x
#define STR(x) STR_(x)
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define UNIQUE(name) CAT(name, __COUNTER__)
#define EXPRESSION(name, type, expr)                                                                                   \
  static __device__ const char name##_type[] = TAG(type);                                                              \
  __global__ void name(const type *x, type *y, type a) {                                                               \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                               \
    y[i] = name##_type[0] == 'd' ? expr : -1;                                                                          \
  }
EXPRESSION(axpy, REAL, a * x[i] + y[i])
#define LISTED(name, ...)                                                                                              \
  static __device__ const char name##_numbers[] = #__VA_ARGS__ STR(LIMIT);                                             \
  enum { name##_size = sizeof(#__VA_ARGS__) };                                                                         \
  __global__ void name(int *o) { o[threadIdx.x] = name##_numbers[threadIdx.x % name##_size] + name##_size; }
LISTED(listed, 1,  2 , /* three */ 3   "a  b" '\'' )
#define MEASURED(name, radius)                                                                                         \
  static const int UNIQUE(name) = 3;                                                                                   \
  static __constant__ const int name##_length = LENGTH(radius);                                                        \
  struct name##_members {                                                                                              \
    int values[LENGTH(radius)];                                                                                        \
  };                                                                                                                   \
  __global__ void name(const int *x, int *o) {                                                                         \
    assert(x[0] < LIMIT && "as  written");                                                                             \
    _Pragma("unroll")                                                                                                  \
    for (int k = 0; k < INT_MAX && k < 5; ++k)                                                                         \
      o[threadIdx.x] = radius + name##_length * 10 + sizeof(name##_members)                  + x[k];                   \
  }
MEASURED(measured, RADIUS)
#define LINED(name, radius)                                                                                            \
  static __constant__ const int name##_line = __LINE__;                                                                \
  static __constant__ const int name##_length = LENGTH(radius);                                                        \
  __global__ void name(int *o) { o[threadIdx.x] = name##_line + name##_length + __LINE__; }
LINED(lined,
      RADIUS +
      5)

//--- scale.inl
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
__global__ void JOIN(scale, T)(T *o) { o[threadIdx.x] = o[threadIdx.x] * 2 + __LINE__ * sizeof(T); }
#undef T
#undef JOIN
#undef JOIN_

//--- included.cu
#define T float
#include "scale.inl"
#define T double
#include "scale.inl" // again
__device__ int behind = __LINE__;

//--- main.cu
#include "both.h"

#include "kernels.cu"
#include "included.cu"

#include "first.h"
#include "second.h"

int main() {
  Array<double> x(64), y(64), d(64);
  Array<float> f(64);
  Array<int> in(64), a(64), b(64);
  Both both;
  both.output("y", y), both.output("a", a), both.output("b", b), both.output("f", f);
  both.output("d", d);
  bool good = both.same(
      "first",
      [&] {
        axpy<<<1, 64>>>(x, y, 2.0);
        listed<<<1, 64>>>(a);
        measured<<<1, 64>>>(in, b);
      },
      [&] { require(first::launch({1, {x, y, 2.0}}, {1, {a}}, {1, {in, b}}), "first"); });
  good &= both.same(
      "second",
      [&] {
        scale_float<<<1, 64>>>(f);
        scale_double<<<1, 64>>>(d);
      },
      [&] { require(second::launch({1, {f}}, {1, {d}}), "second"); });
  return good ? 0 : 1;
}
