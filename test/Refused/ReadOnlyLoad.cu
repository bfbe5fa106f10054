// Behind a barrier of the grid, the read-only cache may still hold what was there before. For `__ldg` in the text, something else
// stands there; not for assembly, a header's, one of the
// user's own, or one that is named by its namespace.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:make %s:hinted --link make.out=hinted.in --link make.n=hinted.n --cooperative \
// RUN:   --block 64 --block 64 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse --vertical %s:hinted %s:plain --link hinted.out=plain.in --link hinted.n=plain.n --cooperative \
// RUN:   --block 64 --block 64 -o %t/out.cu

// RUN: %cufuse fuse --vertical %s:make %s:cached --link make.out=cached.in --link make.n=cached.n --cooperative --block 64 --block 64 -o %t/out.cu
// RUN: FileCheck %s --input-file=%t/out.cu --check-prefix=FRESH
// FRESH: T cufuse_ldg(const T *p) { return *p; }
// FRESH: #define __ldg cufuse_ldg
// FRESH: out[threadIdx.x] = CACHED(in
// RUN: %cufuse fuse --vertical %s:filled %s:rows --link filled.out=rows.in --distinct --block 64 --name turn -o %t/turn.cu 2>&1 | FileCheck %s --check-prefix=TURN
// TURN: In turn, a block
// RUN: FileCheck %s --input-file=%t/turn.cu --check-prefix=INTURN
// INTURN: #define __ldg cufuse_ldg
// RUN: %cufuse fuse %s:make %s:cached --block 64 --block 64 -o %t/beside.cu
// RUN: FileCheck %s --input-file=%t/beside.cu --check-prefix=BESIDE --implicit-check-not=cufuse_ldg
// BESIDE: CACHED(in
// RUN: %exits 1 %cufuse fuse --vertical %s:make %s:named_outside --link make.out=named_outside.in --link make.n=named_outside.n --cooperative \
// RUN:   --block 64 --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error: {{.*}}named_outside: __ldg [ReadOnlyLoad]
// RUN: %exits 1 %cufuse fuse --vertical %s:make %s:overloaded --link make.out=overloaded.in --link make.n=overloaded.n --cooperative \
// RUN:   --block 64 --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=OVERLOADED
// OVERLOADED: error: {{.*}}overloaded: __ldg [ReadOnlyLoad]
// RUN: echo '#pragma once' > %t/loads.h
// RUN: echo '__device__ inline float loaded(const float *p) { return __ldg(p); }' >> %t/loads.h
// RUN: %exits 1 %cufuse fuse --vertical %s:make %s:by_header --link make.out=by_header.in --link make.n=by_header.n --cooperative \
// RUN:   --block 64 --block 64 -o %t/out.cu -- -DLOADS -I%t 2>&1 | FileCheck %s --check-prefix=BYHEADER
// RUN: %exits 1 %cufuse fuse --vertical %s:filled %s:rows_by_header --link filled.out=rows_by_header.in --distinct --block 64 -o %t/out.cu -- -DLOADS -I%t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BYHEADER
// BYHEADER: loads.h:2:{{[0-9]+}}: error: {{.*}}loaded calls __ldg in a header [ReadOnlyLoad]

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

// CHECK: {{.*}}ReadOnlyLoad.cu:[[@LINE+4]]:{{[0-9]+}}: error: a kernel loads through a cache that may not have what another kernel of the launch stored: hinted: ld.global.nc [ReadOnlyLoad]
// CHECK: note: load with p[i] instead of a texture or assembly, or launch the kernel separately
__global__ void hinted(const float *in, float *out, int n) {
  if (threadIdx.x < n)
    asm("ld.global.nc.f32 %0, [%1];" : "=f"(out[threadIdx.x]) : "l"(in + (threadIdx.x + 1) % n));
}
__global__ void filled(float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = i;
}
#define CACHED(p, i) __ldg(p + i)
__global__ void cached(const float *__restrict__ in, float *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = CACHED(in, (threadIdx.x + 1) % n);
}
struct Twice {
  float v;
};
__device__ inline Twice __ldg(const Twice *p) { return {2 * p->v}; }
__global__ void overloaded(const float *in, float *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = __ldg(reinterpret_cast<const Twice *>(in)).v + __ldg(out + threadIdx.x);
}
__global__ void named_outside(const float *in, float *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = ::__ldg(in + (threadIdx.x + 1) % n);
}
__global__ void rows(const float *in, float *out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = __ldg(&in[blockIdx.x * columns + columns - 1 - i]);
}
#ifdef LOADS
#include "loads.h"
__global__ void by_header(const float *in, float *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = loaded(in + (threadIdx.x + 1) % n);
}
__global__ void rows_by_header(const float *in, float *out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = loaded(&in[blockIdx.x * columns + columns - 1 - i]);
}
#endif

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
