// A consumer that stores to the intermediate is refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:clamp --block 128 \
// RUN:   --link scale.mid=clamp.in --link scale.n=clamp.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECK --implicit-check-not=refused:
// RUN: ls -A %t | count 0

__global__ void scale(const float *__restrict__ in, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = 2 * in[i];
}

__global__ void clamp(float *__restrict__ in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: refused: {{[^ ]*}}:[[#@LINE+2]]:5: the consumer stores to the intermediate: clamp: in[i] at {{[^ ]*}}:5;
    // CHECK-SAME: scale stores mid[i] at {{[^ ]*}}:10:5 [InPlaceHazard]; store to another array
    in[i] = in[i] > 1 ? 1 : in[i];
}
