// Two outputs of one program have different namespaces, however their names and those of their kernels are put together.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: %cufuse fuse %t/one.cu:y_z %t/one.cu:w --block 64 --block 64 --name x -o %t/x.cu
// RUN: %cufuse fuse %t/two.cu:z %t/two.cu:w --block 64 --block 64 --name x_y -o %t/x_y.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -rdc=true -I%t -o %t/host %t/host.cu %t/other.cu %t/x.cu %t/x_y.cu
// RUN: %t/host

//--- one.cu
struct View {
  int value;
  __host__ __device__ int get() const { return value; }
};
template <typename T> __host__ __device__ T twice(T x) { return 2 * x; }
__global__ void y_z(View v, int *out) { out[threadIdx.x] = twice(v.get()); }
__global__ void w(int *out) { out[threadIdx.x] = 0; }

//--- two.cu
struct View {
  int value;
  __host__ __device__ int get() const { return -value; }
};
template <typename T> __host__ __device__ T twice(T x) { return x + x + 1; }
__global__ void z(View v, int *out) { out[threadIdx.x] = twice(v.get()); }
__global__ void w(int *out) { out[threadIdx.x] = 0; }

//--- host.cu
#include "x.h"
int other();
int main() { return x::y_z::View{1}.value == 1 && other() == 2 ? 0 : 1; }

//--- other.cu
#include "x_y.h"
int other() { return x_y::z::View{2}.value; }
