// A namespace of the user may have a uint3 and a dim3 of its own, or use one that has.
// RUN: %cufuse fuse %s:own %s:using_others -o %t.cu
// RUN: FileCheck %s < %t.cu
// CHECK: void own(const ::uint3 blockIdx, const ::dim3 gridDim, int *out)
// CHECK: void using_others(const ::uint3 blockIdx, int *out)
namespace vec {
struct uint3 {
  int all;
};
struct dim3 {
  int all;
};
__global__ void __launch_bounds__(64) own(int *out) {
  const uint3 three = {3};
  out[blockIdx.x * 64 + threadIdx.x] = three.all + gridDim.x;
}
} // namespace vec
namespace user {
using namespace vec;
__global__ void __launch_bounds__(64) using_others(int *out) {
  const vec::uint3 three = {4};
  out[blockIdx.x * 64 + threadIdx.x] = three.all;
}
} // namespace user
