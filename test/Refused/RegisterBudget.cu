// Budgets that the hardware cannot give, or that would leave the block waiting, are refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --registers split=20:64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=STEP '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --registers split=24:64 --arch sm_80 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=ARCH '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:fill %s:fill --block 512 --block 512 --registers split=128:136 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BLOCK '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --registers split=24:64 --geometry blocks \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=SIDE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 2 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --registers split=24 -o %t/out.cu
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:fill %s:fill --block 128 --block 128 --registers split=24:64 -o %t/out.cu
// STEP: refused: the register budgets are impossible: 20 registers for fill [RegisterBudget]
// STEP: note: use --geometry warps for an sm_90a or later, 24 to 256 in steps of 8, and at most 65536 for the whole block
// ARCH: refused: the register budgets are impossible: sm_80 has none [RegisterBudget]
// BLOCK: refused: {{.*}}: 136 registers for each of 1024 threads when they start [RegisterBudget]
// SIDE: refused: {{.*}}: only kernels side by side have some each [RegisterBudget]
__global__ void fill(float *data) { data[threadIdx.x] = 1; }
