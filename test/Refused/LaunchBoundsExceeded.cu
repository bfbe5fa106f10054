// A block above the kernel's __launch_bounds__ is refused; the bound itself is not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:fill --block 160 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:fill --block 128 -o %t/out.cu
// RUN: %cufuse fuse %s:fill --block 96 -o %t/out.cu
// CHECK: {{[^ ]*}}:[[#@LINE+3]]:{{[0-9]+}}: error: the block is larger than the kernel's __launch_bounds__: 160
// CHECK-SAME: threads for fill, which allows 128 [LaunchBoundsExceeded]
// CHECK: note: use a smaller --block
__global__ void __launch_bounds__(128) fill(float *data) { data[threadIdx.x] = 1; }
