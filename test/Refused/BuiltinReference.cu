// For nvcc, threadIdx is a constant object; in the output it is a value, which other overloads may take, and which is gone
// at the end of the statement. As a constant argument it is the same.
// RUN: rm -rf %t && mkdir %t
// RUN: rm -f %t.said
// RUN: %exits 1 %cufuse fuse %s:overload --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:named --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:deduced --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:returned --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:address --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:handed_on --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:held --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:apart --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:moved --block 64 -o %t/out.cu 2>> %t.said
// RUN: %exits 1 %cufuse fuse %s:typed --block 64 -o %t/out.cu 2>> %t.said
// RUN: FileCheck %s --input-file %t.said
// RUN: %exits 1 %cufuse fuse %s:named --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:argument %s:used_at_once %s:copy_apart --block 64 --block 64 --block 64 -o %t/out.cu

__device__ int kind(const uint3 &) { return 1; }
__device__ int kind(uint3 &&) { return 2; }
// CHECK: {{[^ ]*}}:[[#@LINE+3]]:48: error: overload: a reference is bound to a built-in, which is a value in the
// CHECK-SAME: fused kernel: threadIdx in overload [BuiltinReference]
// CHECK: note: copy it first: `const uint3 index = threadIdx;`
__global__ void overload(int *x) { x[0] = kind(threadIdx); }
__global__ void named(int *x) {
  // CHECK: {{[^ ]*}}:[[#@LINE+3]]:21: error: named: {{.*}}: threadIdx in named [BuiltinReference]
  // NAMED: error: {{.*}} [BuiltinReference]
  // NAMED: note: copy it first
  const auto &own = threadIdx;
  x[own.x] = 1;
}
template <typename T> __device__ unsigned first(T &t) { return t.x; }
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:43: error: deduced: {{.*}}: blockDim in deduced [BuiltinReference]
__global__ void deduced(int *x) { x[first(blockDim)] = 1; }
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:40: error: returned: {{.*}}: threadIdx in own [BuiltinReference]
__device__ const uint3 &own() { return threadIdx; }
__global__ void returned(int *x) { x[own().x] = 1; }
__global__ void address(int *x) {
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:21: error: address: {{.*}}: threadIdx in address [BuiltinReference]
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
// The names of a structured binding are the members, which Clang does not know.
__global__ void apart(int *x) {
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:14: error: apart: {{.*}}: names for its parts [BuiltinReference]
  const auto [a, b, c] = threadIdx;
  x[a + b] = c;
}
__global__ void copy_apart(int *x) {
  const uint3 index = threadIdx;
  const auto [a, b, c] = index;
  x[a + b] = c;
}
__global__ void used_at_once(int *x, unsigned n) { x[larger(threadIdx.x, n)] = 1; }
__device__ unsigned sum(const uint3 &t) { return t.x + t.y; }
__global__ void argument(int *x) { x[sum(threadIdx)] = 1; }
// A member is an object, too; Clang takes the overload for values.
__device__ int kindOf(const unsigned &) { return 1; }
__device__ int kindOf(unsigned &&) { return 2; }
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:47: error: moved: {{.*}}: threadIdx in moved [BuiltinReference]
__global__ void moved(int *x) { x[0] = kindOf(threadIdx.x); }
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:62: error: typed: {{.*}}: blockDim in typed [BuiltinReference]
__global__ void typed(const unsigned *x, int *y) { decltype((blockDim.x)) size = *x; y[size] = 1; }
