// What must change in a kernel cannot change in a file that its body includes; what needs no change may stand there.
// RUN: rm -rf %t && mkdir %t
// RUN: split-file %s %t.files
// RUN: %exits 1 %cufuse fuse %t.files/memory.cu:turned %t.files/register.cu:named %t.files/ends.cu:ends \
// RUN:   --block 64 --block 64 --block 64 -o %t/out.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse %t.files/pasted.cu:pasted --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=PASTED
// RUN: %exits 1 %cufuse fuse %t.files/imports.cu:imports --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=IMPORTS
// RUN: %exits 1 %cufuse fuse %t.files/short.cu:twice '%t.files/short.cu:next<float, float>' --link twice.out=next.in \
// RUN:   --link twice.n=next.n -o %t/out.cu -- -std=c++20 2>&1 | FileCheck %s --check-prefix=AUTO
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %t.files/plain.cu:scaled %t.files/plain.cu:other --block 64 --block 64 -o %t/out.cu
// RUN: FileCheck %s --check-prefix=PLAIN --input-file %t/out.cu

// CHECK: memory.inc:1:1: error: turned: what must change in a declaration is not written in one piece: a file included inside
// CHECK-SAME: it holds a part [UneditableText]
// CHECK: note: write it out in the kernel's file, without #include inside
// CHECK: register.inc:1:{{[0-9]+}}: error: named: what must change in a declaration is not written in one piece
// CHECK: ends.cu:1:17: error: ends: what must change in a declaration is not written in one piece: it ends in another file
// PASTED: pasted.cu:4:{{[0-9]+}}: error: {{.*}}: variable 'words' cannot be implicitly captured in a lambda {{.*}} [OtherMeaning]
// IMPORTS: imports.cu:2:1: error: imports: {{.*}} no plain #include names its file [UneditableText]
// AUTO: short.cu:6:{{[0-9]+}}: error: next: what must change in a declaration is not written in one piece: in is declared `auto` [UneditableText]

//--- short.cu
__global__ void twice(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2;
}
__global__ void next(const auto *in, auto *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}
//--- imports.cu
__global__ void imports(int *out) {
#import "imported.inc"
}
//--- imported.inc
out[threadIdx.x] = 1;

//--- memory.cu
__global__ void turned(int *out) {
#include "memory.inc"
  turns[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = turns[63 - threadIdx.x];
}

//--- memory.inc
extern __shared__ int turns[];

//--- register.cu
__global__ void named(int *out) {
  int lane;
#include "register.inc"
  out[lane] = 1;
}

//--- register.inc
asm("mov.u32 %0, %%tid.x;" : "=r"(lane));

//--- pasted.cu
#define WORDS(i) wor##ds[i + 0 * __COUNTER__]
__global__ void pasted(int *out) {
  extern __shared__ int words[];
  auto first = [] { return WORDS(0); };
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = first();
}

//--- ends.cu
__global__ void ends(int *out) {
#include "end.inc"

//--- end.inc
out[0] = 1; }

//--- plain.cu
#define SCALE 3
__device__ const int factors[] = {
#include "factors.inc"
};
// PLAIN: #define SCALE 3
// PLAIN-NEXT: #line
// PLAIN-NEXT: factors
__global__ void scaled(int *out) { out[threadIdx.x] = factors[threadIdx.x & 1]; }
__global__ void other(int *out) { out[threadIdx.x] = 1; }

//--- factors.inc
#ifndef SCALE
#define SCALE 1
#endif
1 * SCALE, 2 * SCALE
