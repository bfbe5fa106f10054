// Register limits outside 16 to 255, and more than the 65536 of a block, are refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:fill --block 64 --registers 15 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=FEW '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:fill --block 64 --registers 256 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MANY '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:fill --block 1024 --registers 65 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BLOCK '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:fill --block 64 --registers 255 -o %t/out.cu
// RUN: %cufuse fuse %s:fill --block 1024 --registers 64 -o %t/out.cu
// RUN: %cufuse fuse %s:fill --block 64 --registers 16 -o %t/out.cu
// FEW: refused: the register limit is impossible: 15 registers for each of 64 threads [RegisterLimit]
// FEW: note: use 16 to 255, and at most 65536 for the whole block
// MANY: refused: the register limit is impossible: 256 registers for each of 64 threads [RegisterLimit]
// BLOCK: refused: the register limit is impossible: 65 registers for each of 1024 threads [RegisterLimit]
__global__ void fill(float *data) { data[threadIdx.x] = 1; }
