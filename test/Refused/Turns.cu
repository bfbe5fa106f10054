// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --turns fill_1=2 -o %t/out.cu 2>&1 \
// RUN:   | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --turns fill_1=2 --geometry blocks \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 2 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --turns fill_1=0 --geometry threads -o %t/out.cu
// RUN: %exits 1 %cufuse fuse %s:fill --block 128 --turns 2 --geometry threads -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: refused: {{.*}} have turns: 2 of fill, which is alone [Turns]
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:fill %s:fill --block 128 --block 128 --turns fill_1=2 --geometry threads -o %t/out.cu
// CHECK: refused: only kernels one after the other on the same threads, in one shot, have turns: 2 of fill [Turns]
// CHECK: note: use --turns with --geometry threads and --grid-policy match
__global__ void fill(float *data) { data[threadIdx.x] = 1; }
