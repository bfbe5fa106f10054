// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:fill %s:fill --block 128 --block 128 --geometry threads --order alternating \
// RUN:   --grid-policy pool -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:fill %s:fill --block 128 --block 128 --geometry threads --order alternating --grid-policy stride \
// RUN:   -o %t/out.cu
// RUN: %cufuse fuse %s:fill %s:fill --block 128 --block 128 --geometry threads --grid-policy pool -o %t/out.cu
// CHECK: refused: kernels in alternation have no pools: threads would wait for a kernel that is played to the end
// CHECK-SAME: [AlternatingPools]
// CHECK: note: use --grid-policy stride, or another --order
__global__ void fill(float *data) { data[threadIdx.x] = 1; }
