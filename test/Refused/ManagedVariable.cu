// A __managed__ variable is refused; its address as an argument is not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:count --block 64 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:count_into -o %t/out.cu
// CHECK: refused: {{[^ ]*}}:[[#@LINE+2]]:{{[0-9]+}}: count: the kernel uses a __managed__ variable: total
// CHECK-SAME: [ManagedVariable]; pass a pointer to it as an argument
__managed__ unsigned total;

__global__ void count(const float *data) {
  if (data[threadIdx.x] > 0)
    atomicAdd(&total, 1);
}

__global__ void count_into(const float *data, unsigned *into) {
  if (data[threadIdx.x] > 0)
    atomicAdd(into, 1);
}

void run(const float *data) { count_into<<<1, 64>>>(data, &total); }
