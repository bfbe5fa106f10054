// What the host calls with a parameter's class is in the launcher's header what it is in the kernel's file, also where the
// class, its explicit specialisations or the overloads behind it stand in headers, whose text is copied or not.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:ofView %t/kernels.cu:ofOwn %t/kernels.cu:ofSpan \
// RUN:   %t/kernels.cu:ofRanked %t/kernels.cu:ofPair --block 64 --block 64 --block 64 --block 64 --block 64 --name both -o %t/fused.cu
// RUN: %nvcc -arch=sm_90a -I%t -o %t/host %t/host.cu %t/fused.cu
// RUN: %t/host

//--- unguarded.h
struct View;
__host__ __device__ inline double scaled(float x, const View &);
__host__ __device__ inline double moved(float x, const View &);
struct View {
  int n;
  template <typename T> __host__ __device__ double inHeader() const { return scaled(T(n), *this); }
  template <typename T> __host__ __device__ double inFile() const { return moved(T(n), *this); }
  template <typename T> __host__ __device__ double special() const { return offset(T(n), *this); }
  template <typename T> __host__ __device__ double far() const { return n; }
};
__host__ __device__ inline double scaled(float x, const View &) { return x; }
__host__ __device__ inline double scaled(double x, const View &) { return 2 * x; }
__host__ __device__ inline double moved(float x, const View &) { return x; }
template <typename T> __host__ __device__ T offset(T x, const View &) { return x; }
template <> __host__ __device__ inline double offset(double x, const View &) { return x + 0.25; }

//--- guarded.h
#pragma once
template <> __host__ __device__ inline double View::far<double>() const { return 100 * n; }

//--- late.h
#pragma once
template <typename T> __host__ __device__ double weight(double x, const T &t) { return 2 * x + t.n; }

//--- span.h
#pragma once
template <typename T> __host__ __device__ void assign(T &to, T value) { to = value; }
template <typename T> struct Span {
  T *data;
  __host__ __device__ void fill(T value) const { assign(data[0], value); }
  __host__ __device__ T difference() const { return data[1] - data[0]; }
};
__host__ __device__ inline int rank(...) { return -1; }
template <typename... Ts> struct Ranked {
  int n;
  __host__ __device__ int ranks() const { return (rank(Ts{}) + ...); }
};

//--- kernels.cu
#include "unguarded.h"

#include "guarded.h"
__host__ __device__ inline double moved(double x, const View &) { return 3 * x; }
__global__ void ofView(View v, double *out) {
  out[threadIdx.x] = v.inHeader<float>() + v.inFile<float>() + v.special<float>() + v.far<float>();
}
struct Own;
__host__ __device__ inline double weight(float x, const Own &);
struct Own {
  int n;
  template <typename T> __host__ __device__ double get() const { return weight(T(n), *this); }
};
__host__ __device__ inline double weight(float x, const Own &) { return x; }
#include "late.h"
__global__ void ofOwn(Own v, double *out) { out[threadIdx.x] = v.get<float>(); }

#include "span.h"
struct Point {
  double x;
};
__host__ __device__ inline void assign(Point &to, Point value) { to.x = value.x + 1; }
__host__ __device__ inline Point operator-(Point a, Point b) { return {a.x - b.x}; }
// Not what the host calls with a point: it may name what is not copied.
static double rate = 2;
struct Money {
  double x;
};
inline Money operator-(Money a, Money b) { return {rate * (a.x - b.x)}; }
__global__ void ofSpan(Span<Point> s) { s.data[threadIdx.x].x *= 2; }

enum class Kind { One };
__host__ __device__ inline int rank(Kind) { return 5; }
__host__ __device__ inline int rank(Point) { return 6; }
__global__ void ofRanked(Ranked<Kind, Point> r, int *out) { out[threadIdx.x] = r.n; }

#include <cuda/std/utility>
__host__ __device__ inline void swap(Point &a, Point &b) {
  const double x = a.x;
  a.x = b.x + 100, b.x = x;
}
__global__ void ofPair(cuda::std::pair<Point, int> p, int *out) { out[threadIdx.x] = p.second; }

//--- host.cu
#include "fused.h"
#include <cstdio>
int main() {
  const both::ofView::View view{1};
  const both::ofOwn::Own own{1};
  both::ofSpan::Point point;
  Span<both::ofSpan::Point>{&point}.fill({3});
  cuda::std::pair<both::ofPair::Point, int> one, other{{7}, 0};
  one.swap(other);
  const double found[] = {view.inHeader<float>(), view.inHeader<double>(), view.inFile<float>(), view.inFile<double>(),
                          view.special<float>(),  view.special<double>(),  view.far<float>(),    view.far<double>(),
                          own.get<float>(),       own.get<double>(),     point.x,
                          double(Ranked<both::ofRanked::Kind, both::ofRanked::Point>{}.ranks()),
                          one.first.x};
  const double expected[] = {1, 2, 1, 3, 1, 1.25, 1, 100, 1, 3, 4, 11, 107};
  for (int i = 0; i < 13; ++i)
    if (found[i] != expected[i])
      return printf("%d: %g, not %g\n", i, found[i], expected[i]), 1;
}
