// What the consumer stores must be shown not to be what another kernel still uses, unless the launcher can tell: of
// `order` it cannot, since nobody knows which elements are used, and of no other.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:shift --block 128 \
// RUN:   --link scale.mid=shift.in --link scale.n=shift.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECK '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical %s:waits %s:shift --block 128 --link waits.mid=shift.in --link waits.n=shift.n \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=WAITS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical %s:fill %s:twice --block 16x16 --link fill.out=twice.in --link 'fill.m*n=twice.n' \
// RUN:   --dead fill.out -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: ls -A %t | count 0

// Each kernel's `__restrict__` is true, though `shift.out` may be part of what `scale` loads.
__global__ void scale(const float *in, float *__restrict__ mid, const int *__restrict__ order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = 2 * in[n - 1 - i] + order[order[0]];
}

__global__ void shift(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: {{[^ ]*}}:[[#@LINE+3]]:5: error: two pointers may lead to the same memory, and the fused kernel uses it in
    // CHECK-SAME: another order: shift: out[i] at {{[^ ]*}}:[[#@LINE+2]]:5; scale: order[0] at {{[^ ]*}}:[[#@LINE-7]]:40 [MayAlias]
    // CHECK: note: which elements of scale.order are used is not known at the launch; if they never do, say --distinct{{$}}
    out[i] = in[i] + 1;
}

// Where the producer stores, other threads may not have loaded.
__global__ void waits(const float *in, float *__restrict__ mid, const int *__restrict__ order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    // WAITS: error: {{.*}} shift: out[i] at {{.*}}; waits: order[0] at {{.*}} [MayAlias]
    mid[i] = 2 * in[i] + order[order[0]];
}

// The consumer's own pointers: what it stores first may be what it loads next.
__global__ void fill(float *__restrict__ out, int m, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n)
    out[row * n + col] = row + col;
}
__global__ void twice(const float *in, float *out, float *delta, const int *__restrict__ order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    // TWICE: error: {{.*}} twice: out[order[0]] at {{[^ ]*}}:[[#@LINE+1]]:26; in[i] at {{[^ ]*}}:[[#@LINE+1]]:18 [MayAlias]
    out[i] = 2 * in[i] + out[order[0]];
    delta[i] = in[i] - 1;
  }
}
