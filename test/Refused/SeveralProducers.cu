// A consumer of two producers is refused, unless all of them are functions of an element.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:left %s:right %s:both --block 128 \
// RUN:   --link left.mid=both.a --link right.mid=both.b -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECK '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0

__global__ void left(float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = i;
}
__global__ void right(float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    mid[i] = -i;
}
// CHECK: {{[^ ]*}}:[[#@LINE+2]]:17: error: a consumer takes several intermediates: both takes left.mid and right.mid [SeveralProducers]
// CHECK: note: link one of them
__global__ void both(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] * b[i];
}
