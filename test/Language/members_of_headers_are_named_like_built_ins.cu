// Libraries are read with the built-ins rebound. Headers of the project and of CCCL that fill a cudaLaunchConfig_t are not.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/groups.cu:groups %t/sums.cu:sums --block 64 --block 64 --name fused -o %t/out.cu
// RUN: FileCheck %s --input-file=%t/out.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -arch=sm_90a -cubin -o %t/out.cubin %t/out.cu
// CHECK: #include <cub/util_device.cuh>
// CHECK: #define gridDim ::fused::CufuseBlock::gridDim()
// CHECK: #include <cooperative_groups.h>
// CHECK-NEXT: #include <cub/cub.cuh>
// CHECK: #undef gridDim
// CHECK: #include "out.h"
// CHECK: #include "start.h"

//--- start.h
#pragma once
#include <cooperative_groups.h>
#include <cuda_runtime.h>
inline cudaError_t start(void (*kernel)(int *), int *out) {
  cudaLaunchConfig_t config{};
  config.gridDim = 3;
  config.blockDim = dim3(64);
  return cudaLaunchKernelEx(&config, kernel, out);
}
inline __device__ int twice(int value) { return 2 * value; }

//--- groups.cu
#include "start.h"
namespace cg = cooperative_groups;
__global__ void groups(int *out) {
  const auto block = cg::this_thread_block();
  out[block.group_index().x * 64 + block.thread_rank()] = twice(cg::this_grid().size());
  block.sync();
}
void host(int *out) { start(groups, out); }

//--- sums.cu
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
__global__ void sums(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ typename Reduce::TempStorage memory;
  const int sum = Reduce(memory).Sum(in[blockIdx.x * 64 + threadIdx.x]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}
void host() { thrust::device_vector<int> values(64); }
