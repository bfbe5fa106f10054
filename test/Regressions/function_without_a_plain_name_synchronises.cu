// What is said of an early exit names the function that synchronises; a lambda's has an operator for a name.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:through_lambda --block 64 --grid-policy stride --explain -o %t/out.cu 2>&1 | %FileCheck %s
// CHECK: through_lambda: an mbarrier instead, {{.*}}:[[#@LINE+5]]:5: this return, and operator(), {{[^ ]*}}:[[#@LINE+6]]
__global__ void through_lambda(unsigned *data) {
  __shared__ unsigned tile[64];
  const auto swap = [&] { tile[threadIdx.x] = data[threadIdx.x]; __syncthreads(); };
  if (data[threadIdx.x] == 1)
    return;
  swap();
  data[threadIdx.x] = tile[63 - threadIdx.x];
}
