// Full and partial specialisations of helpers, classes and of a kernel itself: what was chosen stays chosen.
// RUN: %cufuse fuse '%s:specialised<float>' '%s:specialised<double>' '%s:usesClass<int *>' --block 64 --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %FileCheck %s < %t.cu

// CHECK: namespace {{.*}}_usesClass {

template <typename T> struct Traits {
  static constexpr int Width = 1;
};
template <> struct Traits<float> {
  static constexpr int Width = 4;
};
template <typename T> struct Traits<T *> {
  static constexpr int Width = 8;
};
template <typename T> __device__ constexpr int rank() { return 1; }
template <> __device__ constexpr int rank<float>() { return 2; }
template <typename T> constexpr int Limit = 10;
template <> constexpr int Limit<int *> = 20;

template <typename T> __global__ void specialised(T *data) { data[threadIdx.x] += Traits<T>::Width; static_assert(Traits<T>::Width == 4, "float"); static_assert(rank<T>() == 2, "float"); }
template <> __global__ void specialised<double>(double *data) { data[threadIdx.x] -= 1; static_assert(Traits<double>::Width == 1 && rank<double>() == 1, "double"); }
template <typename T> __global__ void usesClass(int *data) { static_assert(Traits<T>::Width == 8 && Limit<T> == 20, "partial"); data[threadIdx.x] += Traits<T>::Width; }
