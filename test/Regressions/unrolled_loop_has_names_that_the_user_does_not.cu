// What is written around an unrolled loop took names that its body may have.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:shadows --block 64 --unroll 4 -o %t/out.cu
// RUN: FileCheck %s --input-file %t/out.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/out.cubin %t/out.cu

// CHECK: cufuse_taken[cufuse_turn__] = cufuse_turn__ == 0
// CHECK-SAME: cufuse_value0_[cufuse_turn__] = in[i];
// CHECK: const float cufuse_value0 = cufuse_value0_[cufuse_turn__];

#define FACTOR cufuse_turn
constexpr float cufuse_turn = 2, cufuse_turn_ = 3;
__global__ void shadows(const float *__restrict__ in, float *__restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float cufuse_value0 = in[i];
    out[i] = cufuse_value0 * FACTOR + cufuse_turn_;
  }
}
