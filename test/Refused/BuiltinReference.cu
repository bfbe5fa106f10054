// For nvcc, threadIdx is a constant object; in the output it is a constant value, which is gone at the end of the statement.
// RUN: rm -rf %t && mkdir %t
// RUN: rm -f %t.said
// RUN: %exits 1 %cufuse fuse %s:returned --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:address --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:handed_on --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:held --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:captured --block 64 -o %t/out.cu 2>> %t.said
// RUN: FileCheck %s --input-file %t.said
// RUN: %exits 1 %cufuse fuse %s:address --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=ADDRESS
// RUN: %exits 1 %cufuse fuse %s:typed %s:used_at_once --block 64 --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=TYPED
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:used_at_once %s:used_at_once --block 64 --block 64 -o %t/out.cu

// CHECK: {{[^ ]*}}:[[#@LINE+3]]:40: error: returned: a reference is bound to a built-in, which is a value in the
// CHECK-SAME: fused kernel: threadIdx in own [BuiltinReference]
// CHECK: note: copy it first: `const uint3 index = threadIdx;`
__device__ const uint3 &own() { return threadIdx; }
__global__ void returned(int *x) { x[own().x] = 1; }
__global__ void address(int *x) {
  // CHECK: {{[^ ]*}}:[[#@LINE+3]]:21: error: address: {{.*}}: threadIdx in address [BuiltinReference]
  // ADDRESS: error: {{.*}} [BuiltinReference]
  // ADDRESS: note: copy it first
  const auto *at = &threadIdx;
  x[at->x] = 1;
}
template <typename T> __device__ const T &larger(const T &a, const T &b) { return a < b ? b : a; }
__global__ void handed_on(int *x, unsigned n) {
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:33: error: handed_on: {{.*}}: threadIdx in handed_on [BuiltinReference]
  const unsigned &most = larger(threadIdx.x, n);
  x[most] = 1;
}
struct View {
  const unsigned &index;
  __device__ View(const unsigned &i) : index(i) {}
};
__global__ void held(int *x) {
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:13: error: held: {{.*}}: threadIdx in held [BuiltinReference]
  View view(threadIdx.x);
  x[view.index] = 1;
}
__global__ void captured(int *x) {
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:21: error: captured: {{.*}}: threadIdx in captured [BuiltinReference]
  auto at = [&own = threadIdx](int i) { return own.x + i; };
  x[at(2)] = 1;
}
__global__ void used_at_once(int *x, unsigned n) { x[larger(threadIdx.x, n)] = 1; }
// TYPED: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}} [OtherMeaning]
__global__ void typed(const unsigned *x, int *y) { decltype((blockDim.x)) size = *x; y[size] = 1; }
