// What is said of an early exit names the place that synchronises, be it in a lambda, whose operator has no plain name.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:through_lambda --block 64 --grid-policy stride --explain -o %t/out.cu 2>&1 | %FileCheck %s
// CHECK: through_lambda: an mbarrier instead, {{.*}}:[[#@LINE+4]]:{{.*}}: this branch skips a barrier of the block, {{[^ ]*}}:[[#@LINE+3]]
__global__ void through_lambda(unsigned *data) {
  __shared__ unsigned tile[64];
  const auto swap = [&] { tile[threadIdx.x] = data[threadIdx.x]; __syncthreads(); };
  if (data[threadIdx.x] == 1)
    return;
  swap();
  data[threadIdx.x] = tile[63 - threadIdx.x];
}
