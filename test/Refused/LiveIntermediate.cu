// What is computed where the consumer loads is not stored, unless each element is loaded in one place, so nothing else may
// need it.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:back --block 128 \
// RUN:   --link scale.mid=back.in --link scale.n=back.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECK '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:copy %s:back --block 128 --dead mid \
// RUN:   --link scale.mid=copy.in --link scale.n=copy.n --link scale.mid=back.in --link scale.n=back.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=ALSO '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:copy %s:back --block 128 --dead mid \
// RUN:   --link scale.mid=copy.in --link scale.n=copy.n --link copy.in=back.in --link scale.n=back.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=ALSO '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0

// Another kernel that takes it is not computed for every load, be it said dead: the link may lead from the other's parameter, too.
// ALSO: error: a producer that is computed where the consumer loads may do nothing else: copy: out[i] at {{.*}}; back
// ALSO-SAME: takes in, not each element in one place: back: in[n - 1 - i] at {{.*}} [OtherStores]

// CHECK: {{[^ ]*}}:[[#@LINE+3]]:17: error: the intermediate would be computed where it is loaded, and would no longer be
// CHECK-SAME: stored: scale.mid; back takes in, not each element in one place: back: in[n - 1 - i] at {{.*}} [LiveIntermediate]
// CHECK: note: say --dead
__global__ void scale(const float *__restrict__ x, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = 2 * x[i];
}

__global__ void back(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i];
}

__global__ void copy(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i];
}
