// Behind a barrier of the grid, the read-only cache may still hold what was there before.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:make %s:hinted --link make.out=hinted.in --link make.n=hinted.n --cooperative \
// RUN:   --block 64 --block 64 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse --vertical %s:hinted %s:plain --link hinted.out=plain.in --link hinted.n=plain.n --cooperative \
// RUN:   --block 64 --block 64 -o %t/out.cu

// Nor is a pointer __restrict__, which a header may say where no text is copied.
// RUN: echo '#pragma once' | tee %t/mirrored.h > %t/in.h
// RUN: echo '__device__ inline float mirrored(const float *__restrict__ p, int i, int n) { return p[n - 1 - i]; }' >> %t/mirrored.h
// RUN: echo 'typedef const float *__restrict__ In;' >> %t/in.h
// RUN: %exits 1 %cufuse fuse %s:make %s:helped --link make.n=helped.n --cooperative --block 64 --block 64 -o %t/out.cu -- -DHEADERS -I%t \
// RUN:   2>&1 | FileCheck %s --check-prefix=HELPER
// HELPER: mirrored.h:2:{{[0-9]+}}: error: {{.*}}p of mirrored is __restrict__ in a header [ReadOnlyLoad]
// RUN: %exits 1 %cufuse fuse %s:make %s:named --link make.n=named.n --cooperative --block 64 --block 64 -o %t/out.cu -- -DHEADERS -I%t \
// RUN:   2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error: {{.*}} is __restrict__ in a header [ReadOnlyLoad]
__global__ void make(float *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = 1.0f;
}

// CHECK: {{.*}}ReadOnlyLoad.cu:[[@LINE+4]]:{{[0-9]+}}: error: a kernel loads through a cache that may not have what another kernel of the launch stored: hinted: __ldg [ReadOnlyLoad]
// CHECK: note: load with p[i] instead of __ldg or a texture, or launch the kernel separately
__global__ void hinted(const float *in, float *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = __ldg(in + (threadIdx.x + 1) % n);
}

__global__ void plain(const float *in, float *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = in[n - 1 - threadIdx.x];
}

#ifdef HEADERS
#include "in.h"
#include "mirrored.h"
__global__ void helped(const float *in, float *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = mirrored(in, threadIdx.x, n);
}
__global__ void named(In in, float *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = in[n - 1 - threadIdx.x];
}
#endif
