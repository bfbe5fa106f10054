// A parameter whose class is copied by code, and that the kernel does not use: in the output, nothing asks for the
// instance of the template. That was a crash.
// RUN: %cufuse fuse %s:fill %s:none --block 64 --block 64 -o %t.cu
// RUN: %nvcc -arch=sm_90a -cubin -o %t.cubin %t.cu
#include <tuple>
template <typename T> struct Copied {
  T value;
  __host__ __device__ Copied(T value) : value(value) {}
  __host__ __device__ Copied(const Copied &other) : value(other.value) {}
};
__global__ void fill(float *y, std::tuple<float> unused) { y[threadIdx.x] = 1; }
__global__ void none(float *z, Copied<float> unused) { z[threadIdx.x] = 2; }
