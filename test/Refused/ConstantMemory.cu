// Every partition has its own constants, and a module has 64 KB of them; 64 KB are not too many.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:look --block 128 --copies 2 --grid-policy stride -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:look %s:half --block 128 --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BOTH '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:half --block 128 --copies 2 --grid-policy stride -o %t/out.cu
// RUN: %nvcc -arch=sm_90a -cubin -o %t/out.cubin %t/out.cu
// CHECK: {{[^ ]*}}ConstantMemory.cu:[[#@LINE+5]]:20: error: the __constant__ variables of all partitions exceed 64 KB:
// CHECK-SAME: 81920 bytes, 40960 of them of table [ConstantMemory]
// CHECK: note: use fewer copies, or keep a table in global memory
// BOTH: {{[^ ]*}}ConstantMemory.cu:[[#@LINE+2]]:20: error: the __constant__ variables of all partitions exceed 64 KB:
// BOTH-SAME: 73728 bytes, 40960 of them of table [ConstantMemory]
__constant__ float table[10240] = {1, 2, 3};
__constant__ float small[8192] = {4, 5, 6};

__global__ void look(float *data) { data[threadIdx.x] = table[threadIdx.x * 3]; }
__global__ void half(float *data) { data[threadIdx.x] = small[threadIdx.x * 3]; }
