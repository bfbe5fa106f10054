// Kernels that a fused kernel launches are those of the program, itself among them.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:halving %t/kernels.cu:spaces::parent --block 64 --block 32 --name fused -o %t/fused.cu -- \
// RUN:   -rdc=true
// RUN: FileCheck %s --input-file=%t/fused.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -arch=sm_90a -rdc=true -I%t -c -o %t/fused.o %t/fused.cu
// RUN: %execute --rdc --nvcc=-lcudadevrt -I %S/Inputs -I %t %t/main.cu %t/kernels.cu %t/fused.cu
// CHECK: __global__ void halving(int *, int, int);
// CHECK: extern "C" __global__ void add_one(int *);
// CHECK: ::halving<<<1, blockDim.x>>>(data, n / 2, depth + 1);
// CHECK: namespace spaces {
// CHECK-NEXT: __global__ void child(::Part, int);
// CHECK: ::spaces::child<<<1, 32>>>(Part{data + 32 * threadIdx.x}, int(threadIdx.x));

//--- part.h
#pragma once
struct Part {
  int *data;
};
//--- kernels.cu
#include "part.h"
extern "C" __global__ void add_one(int *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

__global__ void halving(int *data, int n, int depth) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = depth;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    data[i] += 3 * depth + sum;
  __syncthreads();
  if (threadIdx.x == 0 && n > 4 && depth < 4)
    halving<<<1, blockDim.x>>>(data, n / 2, depth + 1);
  if (threadIdx.x == 1 && depth == 0)
    add_one<<<2, 32>>>(data + n);
}

namespace spaces {
__device__ int child(int *data) { return data[1]; }
__global__ void child(Part part, int row) { part.data[threadIdx.x] = part.data[threadIdx.x] * 2 + row + gridDim.x; }
__global__ void parent(int *data) {
  if (threadIdx.x < 16)
    child<<<1, 32>>>(Part{data + 32 * threadIdx.x}, int(threadIdx.x));
  if (threadIdx.x == 16)
    data[512] = child(data + 600);
}
} // namespace spaces

//--- main.cu
#include "both.h"
#include "fused.h"

__global__ void halving(int *data, int n, int depth);
namespace spaces {
__global__ void parent(int *data);
}

int main() {
  Array<int> a(1024), b(1024);
  Both both;
  both.output("a", a), both.output("b", b);
  const bool good = both.same("launches", [&] { halving<<<1, 64>>>(a, 512, 0), spaces::parent<<<1, 32>>>(b); },
                              [&] { require(fused::launch({1, {a, 512, 0}}, {1, {b}}), "fused"); });
  return good ? 0 : 1;
}
