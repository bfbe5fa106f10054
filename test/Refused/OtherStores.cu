// A producer that is computed where the consumer loads may store nothing else, for each load would do so.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --distinct --vertical %s:both %s:reversed --block 128 \
// RUN:   --link both.mid=reversed.in --dead mid -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECK '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical %s:plain %s:turned --block 128 \
// RUN:   --link plain.mid=turned.in --dead mid -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=TURNED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --distinct --vertical %s:checked %s:reversed --block 128 \
// RUN:   --link checked.mid=reversed.in --dead mid -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECKED '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0

__global__ void both(const float *__restrict__ x, float *__restrict__ mid, float *__restrict__ other, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    mid[i] = 2 * x[i];
    // CHECK: {{[^ ]*}}:[[#@LINE+3]]:5: error: a producer that is computed where the consumer loads may do nothing else:
    // CHECK-SAME: both: other[i] at {{.*}}; reversed takes in, not each element in one place: {{.*}} [OtherStores]
    // CHECK: note: split it, or launch it separately
    other[i] = 3 * x[i];
  }
}

// Of an element that nobody loads, it would say nothing, and of others twice.
__global__ void checked(const float *__restrict__ x, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    // CHECKED: {{[^ ]*}}:[[#@LINE+2]]:7: error: {{.*}} may do nothing else: checked calls vprintf; {{.*}} [OtherStores]
    if (x[i] < 0)
      printf("%d\n", i);
    // CHECKED: {{[^ ]*}}:[[#@LINE+2]]:7: error: {{.*}} may do nothing else: checked calls __trap; {{.*}} [OtherStores]
    if (x[i] > 9)
      __trap();
    mid[i] = 2 * x[i];
  }
}

__global__ void plain(const float *x, float *__restrict__ mid, const int *__restrict__ order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = x[i] + order[order[0]];
}

__global__ void reversed(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i];
}
// What it stores may be what the producer loads for another thread.
__global__ void turned(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // TURNED: error: {{.*}} turned: out[i] at {{.*}}; plain: order[0] at {{.*}} [MayAlias]
    out[i] = in[n - 1 - i];
}
