// Whoever names a variable reaches what its initialiser names: functions in tables, in members of templates, in tables
// of tables.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:direct %s:member %s:twice --block 64 --block 64 --block 64 -o %t/out.cu
// RUN: FileCheck %s --input-file %t/out.cu
// RUN: %exits 1 %cufuse fuse %s:synchronised --block 64 -o %t/none.cu 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: %exits 1 %cufuse fuse %s:changed --block 64 -o %t/none.cu 2>&1 | FileCheck %s --check-prefix=BARRIER

// CHECK: #define blockDim cufuse_partition::blockDim()
// CHECK-NEXT: #define blockIdx cufuse_partition::indices().blockIdx
// CHECK: namespace {{.*}}_member {
// CHECK: #define blockDim cufuse_partition::blockDim()
// CHECK: namespace {{.*}}_twice {
// CHECK: #define threadIdx cufuse_partition::threadIdx()
// BARRIER: a function that synchronises is called through a pointer: turn [BarrierThroughPointer]

__device__ int width() { return blockDim.x; }
__device__ int where() { return blockIdx.x; }
__device__ int lane() { return threadIdx.x; }
__device__ int (*const table[])() = {width, where};
__global__ void direct(int *out, int n) { out[0] = table[n & 1](); }

template <typename T> struct Choice {
  static constexpr int (*chosen)() = width;
};
__global__ void member(int *out) { out[0] = Choice<int>::chosen(); }

struct Operation {
  int (*run)();
};
__device__ constexpr Operation operations[] = {{lane}};
__device__ const Operation *const nested[] = {operations};
__global__ void twice(int *out) { out[0] = nested[0]->run(); }

__device__ int turn() {
  __syncthreads();
  return 0;
}
__device__ int (*const turns[])() = {turn, lane};
__global__ void synchronised(int *out) { out[threadIdx.x] = turns[out[0] & 1](); }
__device__ int (*changing[2])() = {lane, turn};
__global__ void changed(int *out) { out[threadIdx.x] = changing[1](); }
