// A producer that loads what it stored is refused, unless all kernels are functions of an element.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:adds %s:take --block 128 \
// RUN:   --link adds.mid=take.in --link adds.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECK '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0

__global__ void adds(const float *__restrict__ x, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    // CHECK: {{[^ ]*}}:[[#@LINE+3]]:5: error: the producer loads from the intermediate: adds: mid[i] at
    // CHECK-SAME: {{[^ ]*}}:[[#@LINE+2]]:5; take takes it as in [IntermediateRead]
    // CHECK: note: accumulate in a variable
    mid[i] += x[i];
}

__global__ void take(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}
