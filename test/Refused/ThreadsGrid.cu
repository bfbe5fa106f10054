// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --geometry threads --grid-policy pool -o %t/out.cu 2>&1 \
// RUN:   | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --geometry threads --grid-policy stride -o %t/out.cu 2>&1 \
// RUN:   | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:fill %s:fill --block 128 --block 128 --geometry threads -o %t/out.cu
// CHECK: refused: with --geometry threads, a fused block plays one block of each kernel, or so many turns [ThreadsGrid]
// CHECK: note: use --grid-policy match, or another --geometry
__global__ void fill(float *data) { data[threadIdx.x] = 1; }
