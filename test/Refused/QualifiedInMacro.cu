// A leading `::` before a name of the file is refused out of a macro, and followed where it is written.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:by_macro --block 64 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:other::written --block 64 -o %t/out.cu
__device__ float round_up(float x) { return ceilf(x); }
#define ROUND(x) ::round_up(x)

__global__ void by_macro(float *data) {
  // CHECK: {{[^ ]*}}:[[#@LINE+3]]:{{[0-9]+}}: error: by_macro: a macro names a declaration of the file with a leading
  // CHECK-SAME: `::`: {{.*}}[QualifiedInMacro]
  // CHECK: note: write it without `::`
  data[threadIdx.x] = ROUND(data[threadIdx.x]);
}

namespace other {
__device__ float round_up(float x) { return x; }
__global__ void written(float *data) { data[threadIdx.x] = ::round_up(data[threadIdx.x]); }
} // namespace other
