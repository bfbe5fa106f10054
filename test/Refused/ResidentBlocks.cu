// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --geometry blocks --grid-policy stride \
// RUN:   --resident fill_0=0 --resident fill_1=0 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=refused:
// RUN: %exits 2 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --resident fill_0=0 -o %t/out.cu
// RUN: %exits 2 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --geometry blocks --grid-policy pool \
// RUN:   --resident fill_0=0 -o %t/out.cu
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:fill %s:fill --block 128 --block 128 --geometry blocks --grid-policy stride --resident fill_0=0 \
// RUN:   -o %t/out.cu
// CHECK: refused: no kernel, or too few, have resident blocks: 2 of 2 kernels with none [ResidentBlocks];
// CHECK-SAME: give one kernel at most --resident NAME=0, and another at least 1
__global__ void fill(float *data) { data[threadIdx.x] = 1; }
