// What conditions in the text and around it ask for in vain may be no macro where the output is compiled: else that is another
// kernel. What stands beside the text, and what its own file or a header defines, is nobody's business.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:scaled %s:gained %s:levels %s:defaults --block 32 --block 32 --block 32 --block 32 -o %t/o.cu
// RUN: %FileCheck %s --input-file %t/o.cu
// DEFINE: %{macro} =
// DEFINE: %{compile} = %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/o.cubin %{macro} %t/o.cu
// RUN: %{compile}
// REDEFINE: %{macro} = -DFAST
// RUN: %exits 1 %{compile} 2>&1 | %FileCheck %s --check-prefix=OTHER
// REDEFINE: %{macro} = -DGAINED=1
// RUN: %exits 1 %{compile} 2>&1 | %FileCheck %s --check-prefix=OTHER
// REDEFINE: %{macro} = -DLEVEL=3
// RUN: %exits 1 %{compile} 2>&1 | %FileCheck %s --check-prefix=OTHER
// REDEFINE: %{macro} = -DOUTER
// RUN: %exits 1 %{compile} 2>&1 | %FileCheck %s --check-prefix=OTHER
// REDEFINE: %{macro} = -DSIZE=128
// RUN: %exits 1 %{compile} 2>&1 | %FileCheck %s --check-prefix=OTHER
// OTHER: fused with other flags or headers
// REDEFINE: %{macro} = -DDEBUG_HOST -DNEVER_ASKED -DGUARD_OF_THIS
// RUN: %{compile}
// A kernel of one loop is compared, too.
// RUN: %cufuse fuse %s:scaled %s:gained --link scaled.out=gained.in --link scaled.n=gained.n --block 32 -o %t/o.cu
// REDEFINE: %{macro} = -DGAINED
// RUN: %exits 1 %{compile} 2>&1 | %FileCheck %s --check-prefix=OTHER
// Whoever defines it on the command line has what was asked before.
// RUN: %cufuse fuse %s:scaled %s:gained --block 32 --block 32 -o %t/o.cu -- -DFAST
// REDEFINE: %{macro} = -DFAST
// RUN: %{compile}

// CHECK: #ifdef FAST
// CHECK-NEXT: #error "fused with other flags or headers"
// CHECK-NEXT: #endif
// CHECK-NOT: {{#ifdef (DEBUG_HOST|NEVER_ASKED|GUARD_OF_THIS)}}

#ifndef GUARD_OF_THIS
#define GUARD_OF_THIS
#ifdef DEBUG_HOST
#include <cstdio>
#endif
#if defined(GAINED) && GAINED > 0
#define GAIN 3
#else
#define GAIN 2
#endif
#ifndef SIZE
#define SIZE 64
#endif

__global__ void scaled(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
#ifdef FAST
    out[i] = in[i] * 3;
#else
    out[i] = in[i] * 2;
#endif
}
__global__ void gained(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * GAIN;
}
#ifndef OUTER
__global__ void levels(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if LEVEL > 2 || __CUDA_ARCH__ < 800 && !defined(__CUDACC__)
  if (i < n)
    out[i] = in[i] * LEVEL;
#elif defined(__GNUC__)
  if (i < n)
    out[i] = in[i];
#endif
}
#endif
__global__ void defaults(float *out) { out[blockIdx.x * SIZE + threadIdx.x] = SIZE; }
void host() {
#ifdef DEBUG_HOST
  printf("launching\n");
#endif
}
#endif
