// Only a loop that steps by the size of the launch is unrolled, and not where its own pragma says how often.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:inner --block 128 --unroll 4 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %exits 1 %cufuse fuse %s:hinted --block 128 --unroll 4 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=HINTED
// RUN: ls -A %t | count 0
// The turns of linked kernels' loops are their form's.
// RUN: %exits 1 %cufuse fuse %s:outer %s:total --link outer.data=total.data --link outer.n=total.n --block 128 --unroll total=2 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=LINKED
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:inner %s:outer --block 128 --block 128 --unroll outer=4 -o %t/out.cu
__global__ void outer(float *data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    data[i] *= 2;
}

// CHECK: {{[^ ]*}}:[[#@LINE+4]]:17: error: the kernel has no `for` that steps by the size of the launch and leaves unrolling
// CHECK-SAME: open: inner
// CHECK-SAME: [NoLoopToUnroll]
// CHECK: note: leave out --unroll, or write `for (i = …; i < n; i += blockDim.x * gridDim.x)`
__global__ void inner(float *data, int n) {
  for (int i = 0; i < n; i += 32)
    data[threadIdx.x] += i;
}

// HINTED: and leaves unrolling open: hinted [NoLoopToUnroll]
__global__ void hinted(float *data, int n) {
#pragma unroll 2
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    data[i] *= 2;
}

// LINKED: and leaves unrolling open: outer_total [NoLoopToUnroll]
__global__ void total(const float *__restrict__ data, float *sum, int n) {
  float own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    own += data[i];
  atomicAdd(sum, own);
}
