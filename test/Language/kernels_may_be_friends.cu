// A kernel that is a friend of a class and uses what is public is fused, be it a template. One that uses what the class keeps
// to itself is not: its text becomes part of another function.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:uses --block 64 -o %t/out.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse %s:asks --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=ASKS
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:fill %s:'scale<float>' %s:'any<float>' %s:inherits --block 64 --block 64 --block 64 --block 64 -o %t/out.cu
// RUN: FileCheck %s --check-prefix=TYPES --input-file=%t/out.h
// RUN: cd %t && %nvcc -Werror all-warnings -arch=sm_90 -c -o out.o out.cu
// TYPES-NOT: friend __global__

class Own {
  float *data;
  static __device__ int count() { return 3; }
  friend __global__ void uses(Own b);
  friend __global__ void asks(float *data);
};
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}: 'data' is a private member of {{.*}} [OtherMeaning]
__global__ void uses(Own b) { b.data[threadIdx.x] = 1; }
// ASKS: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}: 'count' is a private member of {{.*}} [OtherMeaning]
__global__ void asks(float *data) { data[threadIdx.x] += Own::count(); }

struct Box {
  float *data;
  int n;
  // It is a friend.
  friend __global__ void fill(Box b);

private:
  [[maybe_unused]] int hidden;
};
__global__ void fill(Box b) {
  if (threadIdx.x < b.n)
    b.data[threadIdx.x] = 1;
}

template <typename T> struct View;
template <typename T> __global__ void scale(View<T> v);
template <typename T> struct View {
  T *data;
  int n;
  friend __global__ void scale<T>(View<T> v);
};
template <typename T> __global__ void scale(View<T> v) {
  if (threadIdx.x < v.n)
    v.data[threadIdx.x] *= 2;
}
template __global__ void scale<float>(View<float>);

template <typename T> struct Any {
  T *data;
  template <typename U> friend __global__ void any(Any<U> v);
};
template <typename T> __global__ void any(Any<T> v) { v.data[threadIdx.x] *= 2; }
template __global__ void any<float>(Any<float>);

// What is public there is so here, whatever its own class says.
class Base {
protected:
  float *data;
};
struct Derived : Base {
  using Base::data;
};
__global__ void inherits(Derived d) { d.data[threadIdx.x] = 1; }
