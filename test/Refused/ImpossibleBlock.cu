// Blocks of no threads, of more than 1024 and of more than 64 in z are refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:fill --block 2048 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=LARGE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:fill --block 0 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=NONE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:fill --block 1x1x65 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=PLANES '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:fill --block 65536x65536 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=OVERFLOW '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:step %s:fill --link step.data=fill.data --block 0 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=LINKED '--implicit-check-not={{(error|refused):}}'
// LINKED: refused: the block size is impossible: 0 for step [ImpossibleBlock]
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:fill --block 1024 -o %t/out.cu
// RUN: %cufuse fuse %s:fill --block 16x1x64 -o %t/out.cu
// RUN: %cufuse fuse %s:fill --block 1 -o %t/out.cu
// LARGE: refused: the block size is impossible: 2048 for fill [ImpossibleBlock]
// LARGE: note: use 1 to 1024 threads, at most 64 in z
// NONE: refused: the block size is impossible: 0 for fill [ImpossibleBlock]
// NONE: note: use 1 to 1024 threads
// PLANES: refused: the block size is impossible: 1x1x65 for fill [ImpossibleBlock]
// OVERFLOW: refused: the block size is impossible: 65536x65536 for fill [ImpossibleBlock]
__global__ void step(float *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void fill(float *data) { data[threadIdx.z * blockDim.x + threadIdx.x] = 1; }
