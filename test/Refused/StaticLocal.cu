// A static local variable that changes is refused; a constant one is not. Nothing can name the kernel's own from another
// file, and a second one would count apart from it.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:count --block 64 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:count_in_a_template --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TEMPLATE '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:count_in_a_file --block 64 -o %t/out.cu -- -rdc=true
// RUN: FileCheck %s --check-prefix=REMEDY --input-file=%t/out.cu
// RUN: rm %t/out.cu %t/out.h
// RUN: %cufuse fuse %s:table --block 64 -o %t/out.cu
__global__ void count(unsigned *data) {
  // CHECK: {{[^ ]*}}:[[#@LINE+3]]:{{[0-9]+}}: error: count: a static local variable keeps state, of which the fused
  // CHECK-SAME: kernel would have another copy than the kernel: calls in count [StaticLocal]
  // CHECK: note: make it a __device__ variable at file scope, not static, and compile with -rdc=true
  static unsigned calls = 0;
  data[threadIdx.x] = atomicAdd(&calls, 1);
}

// Also where the linker would make one of those in several files.
template <typename T> __device__ T next(T by) {
  // TEMPLATE: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: error: count_in_a_template: a static local variable keeps state,
  static __device__ T number = 0;
  return atomicAdd(&number, by);
}
__global__ void count_in_a_template(unsigned *data) { data[threadIdx.x] = next(1u); }

// REMEDY: extern __device__ unsigned int calls;
__device__ unsigned calls = 0;
__global__ void count_in_a_file(unsigned *data) { data[threadIdx.x] = atomicAdd(&calls, 1); }

__global__ void table(unsigned *data) {
  static const unsigned primes[] = {2, 3, 5, 7};
  data[threadIdx.x] = primes[data[threadIdx.x] % 4];
}
