// Partitions of more than 1024 threads in whole warps are refused; exactly 1024 are not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:fill %s:fill --block 512 --block 513 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:fill %s:fill --block 512 --block 511 -o %t/out.cu
// RUN: %cufuse fuse %s:fill %s:fill --block 512 --block 513 --geometry blocks -o %t/out.cu
// CHECK: refused: the partitions exceed 1024 threads together: 1056 threads in whole warps [TooManyThreads]
// CHECK: note: use smaller blocks, fewer copies, or --geometry blocks, where kernels do not share a block
__global__ void fill(float *data) { data[threadIdx.x] = 1; }
