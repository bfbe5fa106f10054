// Loops over a row that cannot be unrolled, because of how they are written, are refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical --in-registers %s:twice %s:byWhile --block 128 --link twice.out=byWhile.in \
// RUN:   --link twice.columns=byWhile.columns -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=WHILE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical --in-registers %s:twice %s:byMacro --block 128 --link twice.out=byMacro.in \
// RUN:   --link twice.columns=byMacro.columns -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=MACRO '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical --in-registers %s:twice %s:unrolled --block 128 --link twice.out=unrolled.in \
// RUN:   --link twice.columns=unrolled.columns -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=PRAGMA '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0

__global__ void twice(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = 2 * in[blockIdx.x * columns + i];
}

__global__ void byWhile(const float *__restrict__ in, float *__restrict__ out, int columns) {
  int i = threadIdx.x;
  // WHILE: {{[^ ]*}}:[[#@LINE+3]]:3: error: byWhile: the loop over the row cannot be counted: it declares no variable
  // WHILE-SAME: that counts [RowLoopForm]
  // WHILE: note: write `for (int i = threadIdx.x; i < columns; i += blockDim.x)`, without
  while (i < columns) {
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i];
    i += blockDim.x;
  }
}

#define EACH(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)
__global__ void byMacro(const float *__restrict__ in, float *__restrict__ out, int columns) {
  // MACRO: {{[^ ]*}}:[[#@LINE+1]]:3: error: {{.*}} a macro writes it [RowLoopForm]
  EACH(i, columns)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i];
}

__global__ void unrolled(const float *__restrict__ in, float *__restrict__ out, int columns) {
#pragma unroll 4
  // PRAGMA: {{[^ ]*}}:[[#@LINE+1]]:3: error: {{.*}} it has a pragma of its own [RowLoopForm]
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i];
}
