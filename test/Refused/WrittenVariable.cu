// Blocks of two kernels at the same time: a variable that one of them changes must be no other's. Copies of one kernel
// are blocks of one grid, tables are only read, and several may add to one sum.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:sums %s:products --block 64 --block 64 -o %t/out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:sums %s:sums --block 64 --block 64 -o %t/out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TWICE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:reads %s:sums --block 64 --block 64 -o %t/out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s --check-prefix=READ '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:sums %s:reads2 --block 64 --block 64 --copies 2 --copies 1 -o %t/out.cu -- -rdc=true
// RUN: %cufuse fuse %s:adds %s:adds --block 64 --block 64 -o %t/out.cu -- -rdc=true
// RUN: %exits 1 %cufuse fuse %s:adds %s:reads --block 64 --block 64 -o %t/out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s --check-prefix=ADDED '--implicit-check-not={{(error|refused):}}'
// RUN: %cufuse fuse %s:reads %s:reads2 --block 64 --block 64 -o %t/out.cu -- -rdc=true

__device__ unsigned finished;
__device__ float table[64];

__device__ bool isLast() { return atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1; }

// CHECK: {{.*}}WrittenVariable.cu:[[@LINE+3]]:17: error: two kernels use one variable, which one of them changes: finished of sums and products [WrittenVariable]
// CHECK: note: fuse only one of them: they would use it at the same time
// TWICE: error: two kernels use one variable, {{.*}}: finished of sums and sums [WrittenVariable]
__global__ void sums(float *out) {
  out[blockIdx.x * 64 + threadIdx.x] += table[threadIdx.x];
  if (threadIdx.x == 0 && isLast())
    out[0] = 0;
}

__global__ void products(float *out) {
  out[blockIdx.x * 64 + threadIdx.x] *= 3;
  if (threadIdx.x == 0 && isLast())
    out[0] = 1;
}

// READ: error: two kernels use one variable, {{.*}}: finished of reads and sums [WrittenVariable]
__global__ void reads(float *out) { out[threadIdx.x] = finished + table[threadIdx.x]; }
__global__ void reads2(float *out) { out[threadIdx.x] = table[63 - threadIdx.x]; }

// ADDED: error: two kernels use one variable, {{.*}}: finished of adds and reads [WrittenVariable]
__global__ void adds(float *out) {
  if (out[threadIdx.x] < 0)
    atomicAdd(&finished, 1u);
}
