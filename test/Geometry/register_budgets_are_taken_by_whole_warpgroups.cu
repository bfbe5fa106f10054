// Every warp of a partition sets its registers before anything else, also those that fill its last warpgroup; the launch
// count is fixed, so that ptxas does not ignore it.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:turned %t/kernels.cu:turned --block 100 --block 256 --registers split=40:72 --name split \
// RUN:   -o %t/split.cu
// RUN: FileCheck %s --input-file=%t/split.cu
// RUN: %cufuse fuse %t/kernels.cu:turned %t/kernels.cu:turned --block 100 --block 256 --registers split=40:72 --dry-run \
// RUN:   -o %t/dry.cu | FileCheck %s --check-prefix=PLAN
// RUN: %cufuse fuse %t/kernels.cu:turned %t/kernels.cu:turned --block 100 --block 256 --registers free -o %t/free.cu
// RUN: FileCheck %s --check-prefix=FREE --input-file=%t/free.cu
// RUN: %execute -I %S/../Running/Inputs -I %t %t/main.cu %t/split.cu
// RUN: %nvcc -arch=sm_90a -Xptxas -v -cubin -o %t/split.cubin %t/split.cu 2>&1 | FileCheck %s --check-prefix=PTXAS
// REQUIRES: nvcc
// CHECK: // threads    0 to  127: turned, block 100, barrier 1
// CHECK: __global__ void __maxnreg__(64) fused(
// CHECK: if (threadIdx.x < 128) {
// CHECK-NEXT: cufuseRegisters<64, 40>();
// CHECK-NEXT: if (split_text::cufuse_turned_0::cufuse_partition::rank() >= 100)
// CHECK-NEXT: return; // fills the last warp
// CHECK: } else {
// CHECK-NEXT: cufuseRegisters<64, 72>();
// PLAN: 40 registers per thread for threads 0 to 127, 64 at launch
// PLAN: 72 registers per thread for threads 128 to 383, 64 at launch
// FREE: __global__ void __launch_bounds__(384, 1) fused(
// PTXAS-NOT: C7508
// PTXAS: Used 64 registers

//--- kernels.cu
__global__ void turned(const int *in, int *out) {
  __shared__ int tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[blockDim.x - 1 - threadIdx.x] * 3;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "split.h"

int main() {
  Array<int> in(8192), a(8192), b(8192);
  Both both;
  both.output("a", a), both.output("b", b);
  return both.same("split", [&] { turned<<<17, 100>>>(in, a), turned<<<9, 256>>>(in, b); },
                   [&] { require(split::launch({17, {in, a}}, {9, {in, b}}), "split"); })
             ? 0
             : 1;
}
