// A static member function is refused as a kernel; a free kernel that calls the member is not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:Scaler::run --block 64 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:free_kernel --block 64 -o %t/out.cu
struct Scaler {
  static __device__ float apply(float x) { return 2 * x; }
  // CHECK: {{[^ ]*}}:[[#@LINE+3]]:26: error: run: the kernel is a static member function: Scaler::run
  // CHECK-SAME: [KernelIsMember]
  // CHECK: note: move the kernel to namespace scope
  static __global__ void run(float *data) { data[threadIdx.x] = apply(data[threadIdx.x]); }
};

__global__ void free_kernel(float *data) { data[threadIdx.x] = Scaler::apply(data[threadIdx.x]); }
