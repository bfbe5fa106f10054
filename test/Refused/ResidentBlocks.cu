// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --geometry blocks --grid-policy stride \
// RUN:   --resident fill_0=0 --resident fill_1=0 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 2 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --resident fill_0=0 -o %t/out.cu
// RUN: %exits 2 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --geometry blocks --grid-policy pool \
// RUN:   --resident fill_0=0 -o %t/out.cu
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:fill %s:fill --block 128 --block 128 --geometry blocks --grid-policy stride --resident fill_0=0 \
// RUN:   -o %t/out.cu
// CHECK: refused: at most one kernel may go without resident blocks of its own: 2 of 2 kernels with none [ResidentBlocks]
// CHECK: note: use --resident NAME=0 for one kernel at most, and at least 1 for the others
__global__ void fill(float *data) { data[threadIdx.x] = 1; }
