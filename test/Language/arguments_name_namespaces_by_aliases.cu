// A namespace alias that the class of an argument needs goes to each copy of the kernel with it.
// RUN: %cufuse fuse %s:ranked %s:sized --block 64 --block 64 --copies ranked=2 --name both -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: FileCheck %s --input-file=%t.cu
// CHECK: namespace cg = cooperative_groups;
// CHECK: namespace cg = cooperative_groups;
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
namespace shapes {
struct Size {
  int width;
};
} // namespace shapes
namespace mine {
namespace s = shapes;
struct Given {
  s::Size size;
};
} // namespace mine
struct Rank {
  int by;
  __device__ int at(const cg::thread_block &block) const { return block.thread_rank() * by; }
};
__global__ void ranked(int *out, Rank rank) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = rank.at(cg::this_thread_block());
}
__global__ void sized(int *out, mine::Given given) { out[blockIdx.x * blockDim.x + threadIdx.x] = given.size.width; }
