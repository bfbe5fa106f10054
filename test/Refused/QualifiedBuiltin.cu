// A built-in with a leading `::` is refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:index --block 64 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:barrier --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BARRIER '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:library --block 64 -o %t/out.cu
// CHECK: {{[^ ]*}}:[[#@LINE+3]]:{{[0-9]+}}: error: index: a built-in is named with a leading `::`: ::threadIdx
// CHECK-SAME: [QualifiedBuiltin]
// CHECK: note: write it without `::`
__global__ void index(float *data) { data[::threadIdx.x] = 0; }

__global__ void barrier(float *data) {
  data[threadIdx.x] += 1;
  // BARRIER: {{[^ ]*}}:[[#@LINE+3]]:{{[0-9]+}}: error: barrier: a built-in is named with a leading `::`: ::__syncthreads
  // BARRIER-SAME: [QualifiedBuiltin]
  // BARRIER: note: write it without `::`
  ::__syncthreads();
  data[threadIdx.x] *= data[63 - threadIdx.x];
}

__global__ void library(float *data) { data[threadIdx.x] = ::sqrtf(data[threadIdx.x]); }
