// What the host may call of a parameter's class comes with the launcher's header, where the file defines it behind the class
// and it needs nothing else of the file.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:ofMatrix '%t/kernels.cu:ofPair<float>' --block 64 --block 64 --name both -o %t/fused.cu
// RUN: %FileCheck %s < %t/fused.h
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -o %t/host %t/host.cu %t/other.cu %t/fused.cu
// RUN: %t/host
// CHECK: inline __host__ __device__ Matrix::Matrix(int rows)
// CHECK: inline int Matrix::size() const
// CHECK-NOT: Matrix::fill
// CHECK-NOT: Matrix::count
// CHECK: inline bool operator==
// CHECK-NOT: Matrix::at
// CHECK: {{^}}template <typename T> Pair<T>::Pair(T both)
// CHECK: {{^}}template <typename T> template <typename U> U Pair<T>::sum() const

//--- kernels.cu
struct Matrix {
  __host__ __device__ Matrix(int rows);
  int size() const;
  int twice() const;
  void fill(float *out);
  int count();
  __device__ int at(int i) const;
  friend bool operator==(const Matrix &a, const Matrix &b);
  struct Shape {
    int rows;
    static Shape make(int rows);
  } shape;
};
#define EDGE 2
__host__ __device__ Matrix::Matrix(int rows) : shape{rows + EDGE} {}
int Matrix::size() const { return twice() / 2; }
int Matrix::twice() const { return 2 * shape.rows; }
bool operator==(const Matrix &a, const Matrix &b) { return a.size() == b.size(); }
Matrix::Shape Matrix::Shape::make(int rows) { return {rows}; }
__device__ int Matrix::at(int i) const { return shape.rows + i; }
__global__ void ofMatrix(Matrix m, float *out) { out[threadIdx.x] = m.at(threadIdx.x); }

// These need the program's.
static int calls = 0;
void Matrix::fill(float *out) { ofMatrix<<<1, 64>>>(*this, out); }
int Matrix::count() { return ++calls; }

template <typename T> struct Pair {
  T a, b;
  explicit Pair(T both);
  template <typename U> U sum() const;
};
template <typename T> Pair<T>::Pair(T both) : a(both), b(both) {}
template <typename T> template <typename U> U Pair<T>::sum() const { return U(a + b); }
template <typename T> __global__ void ofPair(const Pair<Matrix> *, Pair<T> p, T *out) { out[threadIdx.x] = p.a; }
template __global__ void ofPair(const Pair<Matrix> *, Pair<float>, float *);

//--- host.cu
#include "fused.h"
int other();
int main() {
  both::ofMatrix::Launch a{1, 0, {3, nullptr}};
  both::ofPair::Launch b{1, 0, {nullptr, both::ofPair::Pair<float>(2), nullptr}};
  const bool same = a.arguments.m == both::ofMatrix::Matrix(3);
  return same && a.arguments.m.size() == 5 && other() == 7 && b.arguments.p.sum<int>() == 4 ? 0 : 1;
}

//--- other.cu
#include "fused.h"
int other() { return both::ofMatrix::Matrix(both::ofMatrix::Matrix::Shape::make(5).rows).size(); }
