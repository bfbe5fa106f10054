// A producer that leaves elements as they were is refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers --distinct --vertical %s:positive %s:take --block 128 \
// RUN:   --link positive.mid=take.in --link positive.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=POSITIVE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --distinct --vertical %s:leaves %s:take --block 128 \
// RUN:   --link leaves.mid=take.in --link leaves.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=LEAVES '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --distinct --vertical %s:half %s:take --block 128 \
// RUN:   --link half.mid=take.in --link half.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=HALF '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0

__global__ void positive(const float *__restrict__ x, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0)
    // POSITIVE: {{[^ ]*}}:[[#@LINE+4]]:5: error: some elements of the intermediate may not be stored: positive: mid[i]
    // POSITIVE-SAME: at {{[^ ]*}}:[[#@LINE+3]]:5, under 'i < n && x[i] > 0' at {{[^ ]*}}:[[#@LINE-2]]:7; take takes it
    // POSITIVE-SAME: as in [StoredSometimes]
    // POSITIVE: note: store every element below the bound
    mid[i] = x[i];
}

__global__ void leaves(const float *__restrict__ x, float *__restrict__ mid, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    if (x[i] < 0)
      break;
    // LEAVES: error: {{.*}} leaves: mid[i] at {{[^ ]*}}:[[#@LINE+1]]:5, under 'i < n'
    mid[i] = x[i];
  }
}

__global__ void half(float *__restrict__ mid, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i < m)
    // HALF: error: {{.*}} half: mid[i] at {{[^ ]*}}:[[#@LINE+1]]:5, only if
    mid[i] = 1;
}

__global__ void take(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}
