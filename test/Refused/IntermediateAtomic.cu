// A producer that adds to the intermediate by atomics is refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:counts %s:take --block 128 \
// RUN:   --link counts.mid=take.in --link counts.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECK '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical %s:rowSums %s:divided --block 128 --link rowSums.sum=divided.sum \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=ROWS '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0

__global__ void counts(const int *__restrict__ x, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: {{[^ ]*}}:[[#@LINE+4]]:5: error: the producer changes the intermediate by atomics, so no store is the last:
    // CHECK-SAME: counts: atomicAdd(&mid[x[i]], 1.0f) at {{[^ ]*}}:[[#@LINE+3]]:5; take takes it as in
    // CHECK-SAME: [IntermediateAtomic]
    // CHECK: note: launch the consumer separately
    atomicAdd(&mid[x[i]], 1.0f);
}

__global__ void take(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}

// By row, threads of the same block follow each other, but nothing says when they all have added.
__global__ void rowSums(const float *__restrict__ x, float *__restrict__ sum, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    // ROWS: error: {{.*}} rowSums: atomicAdd(&sum[blockIdx.x], {{.*}}) at {{[^ ]*}}:[[#@LINE+1]]:5; divided takes it as sum [IntermediateAtomic]
    atomicAdd(&sum[blockIdx.x], x[blockIdx.x * columns + i]);
}

__global__ void divided(const float *__restrict__ x, const float *__restrict__ sum, float *__restrict__ out,
                        int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = x[blockIdx.x * columns + i] / sum[blockIdx.x];
}
