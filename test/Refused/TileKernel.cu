// A kernel of tiles (CUDA 13.3) is named, and not taken for a function of the host.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:tiles %s:'of_type<float>' --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// Older toolkits do not have it.
#ifndef __tile_global__
#define __tile_global__ __attribute__((tile_global))
#endif

// CHECK: {{[^ ]*}}:[[#@LINE+3]]:{{[0-9]+}}: error: tiles: the kernel is written for tiles, which nvcc divides among threads as it
// CHECK-SAME: likes: __tile_global__ [TileKernel]
// CHECK: note: leave this kernel out, or write it as a __global__ function
__tile_global__ void tiles(float *data) { data[0] = 0; }

// CHECK: {{[^ ]*}}:[[#@LINE+1]]:{{.*}}: error: of_type: {{.*}}__tile_global__ [TileKernel]
template <typename T> __tile_global__ void of_type(T *data) { data[0] = 0; }
template __tile_global__ void of_type<float>(float *);
