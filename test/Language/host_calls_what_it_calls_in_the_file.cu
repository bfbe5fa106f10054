// What the host calls with a parameter's class is in the launcher's header what it is in the kernel's file: members that the
// kernel calls, too, explicit specialisations, overloads behind the class. Some need what is not copied, and are left out.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:ofView %t/kernels.cu:ofValue --block 64 --block 64 --name both -o %t/fused.cu
// RUN: %FileCheck %s < %t/fused.h
// RUN: %nvcc -arch=sm_90a -I%t -o %t/host %t/host.cu %t/other.cu %t/fused.cu
// RUN: %t/host
// CHECK-NOT: View::checked
// CHECK-NOT: View::block
// CHECK: Value::Value(float
// CHECK-NOT: Value::counted

//--- kernels.cu
#include <cstdio>
struct View;
__host__ __device__ inline float scaled(float x, const View &);
struct View {
  float *p;
  int n;
  View() = default;
  __host__ __device__ View(float *p, int n);
  __host__ __device__ float &at(int i) const;
  __host__ __device__ float &checked(int i) const;
  __host__ __device__ int block() const;
  template <typename T> __host__ __device__ T get() const { return scaled(T(n), *this) + T(); }
  template <typename T> __host__ __device__ T moved() const { return offset(T(n), *this); }
};
__host__ __device__ inline float scaled(float x, const View &) { return x; }
inline __host__ __device__ double scaled(double x, const View &) { return 2 * x; }
template <typename T> __host__ __device__ T offset(T x, const View &) { return x; }
template <> __host__ __device__ double offset(double x, const View &) { return x + 0.25; }
__host__ __device__ View::View(float *p, int n) : p(p), n(n) {}
__host__ __device__ float &View::at(int i) const {
#ifndef __CUDA_ARCH__
  if (i >= n)
    printf("%d is out of range\n", i);
#endif
  return p[i];
}
static void fail() {}
__host__ __device__ float &View::checked(int i) const {
#ifndef __CUDA_ARCH__
  if (i >= n)
    fail();
#endif
  return p[i];
}
__host__ __device__ int View::block() const {
#ifdef __CUDA_ARCH__
  return blockIdx.x;
#else
  return 0;
#endif
}
__global__ void ofView(View v) { v.at(threadIdx.x) += v.checked(v.block()) + View(v.p, v.n).get<float>(); }

template <typename T> struct Box {
  T v;
  static const int added;
  __host__ __device__ Box(T v) : v(v) {}
  __host__ __device__ T get() const { return v; }
};
template <typename T> const int Box<T>::added = 1;
template <> __host__ __device__ Box<double>::Box(double v) : v(10 * v) {}
template <> __host__ __device__ double Box<double>::get() const { return v + 1; }
template <> const int Box<double>::added = 4;
struct Value {
  float v;
  static const float half;
  Value() = default;
  __host__ __device__ Value(float v);
  int counted() const;
  template <typename T> __host__ __device__ T get() const { return Box<T>(v).get(); }
  template <typename T> T more() const { return get<T>() + Box<T>::added; }
  template <typename T> T chosen() const { return T(half); }
};
const float Value::half = 0.5f;
__host__ __device__ Value::Value(float v) : v(v) {}
template <> int Value::chosen<int>() const { return 7; }
static int calls = 0;
int Value::counted() const { return ++calls; }
__global__ void ofValue(Value v, float *out) { out[threadIdx.x] = Value(v).get<float>(); }

//--- host.cu
#include "fused.h"
#include <cstdio>
int other();
int main() {
  float data[2] = {1, 2};
  const both::ofView::View view(data, 2);
  const both::ofValue::Value value(3);
  const double found[] = {view.at(1), view.get<float>(), view.get<double>(), value.get<float>(), value.get<double>(),
                          value.more<float>(), value.more<double>(), value.chosen<int>() + 0., value.chosen<double>(),
                          other() + 0., view.moved<double>()};
  const double expected[] = {2, 2, 4, 3, 31, 4, 35, 7, 0.5, 32, 2.25};
  for (int i = 0; i < 11; ++i)
    if (found[i] != expected[i])
      return printf("%d: %g, not %g\n", i, found[i], expected[i]), 1;
}

//--- other.cu
#include "fused.h"
int other() { return both::ofValue::Value(3).more<double>() - 3; }
