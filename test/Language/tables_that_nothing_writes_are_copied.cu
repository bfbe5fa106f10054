// A variable of the device that only its file knows, and of which all code only loads elements, is a table: it need not be
// const. So is a static variable of a kernel. What may be written, be it by its name in assembly, or handed on, stays the
// program's; the remedies name const. Without -rdc, only the file itself knows it. Of a header, each file has a variable of its own, which it may fill before it launches
// the header's kernel.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/tables.cu:decode %t/tables.cu:'generic<float>' %t/tables.cu:scale %t/tables.cu:steps \
// RUN:   %t/launched.cu:steady --block 64 --block 64 --block 64 --block 64 --block 64 -o %t/out.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/out.cubin %t/out.cu
// RUN: %nvcc -rdc=true -Werror all-warnings -arch=sm_90a -c -o %t/out.o %t/out.cu
// RUN: %exits 1 %cufuse fuse %t/changed.cu:written %t/changed.cu:lent %t/changed.cu:seen %t/changed.cu:filled \
// RUN:   %t/changed.cu:other %t/changed.cu:visible %t/changed.cu:assembled %t/changed.cu:mangled %t/changed.cu:counts \
// RUN:   %t/launched.cu:ofHeader %t/launched.cu:ofFile --block 64 -o %t/no.cu 2>&1 | FileCheck %s
// CHECK: error: written: {{.*}}: a [HostSharedInternal]
// CHECK: note: make it non-static, {{.*}} or const if nothing changes it
// CHECK: error: lent: {{.*}}: b [HostSharedInternal]
// CHECK: error: seen: {{.*}}: c [HostSharedInternal]
// CHECK: error: filled: {{.*}}: d [HostSharedInternal]
// CHECK: error: other: {{.*}}: e [HostSharedInternal]
// CHECK: error: visible: {{.*}}: v, filled [HostSharedNeedsRdc]
// CHECK: note: {{.*}} or make it const if nothing changes it
// CHECK: error: assembled: {{.*}}: f [HostSharedInternal]
// CHECK: error: mangled: {{.*}}: kept::g [HostSharedInternal]
// CHECK: error: counts: {{.*}}: n in counts [StaticLocal]
// CHECK: error: ofHeader: {{.*}}: own [HostSharedInternal]
// CHECK-NOT: error:

//--- tables.cu
__device__ static float levels[4] = {-1.0f, -0.25f, 0.25f, 1.0f};
namespace {
struct Entry {
  int a;
  float b[2];
};
__device__ Entry entries[2] = {{1, {2, 3}}, {4, {5, 6}}};
} // namespace
__device__ float level(int i) { return levels[i & 3]; }
__global__ void decode(const unsigned char *codes, float *values) {
  values[threadIdx.x] = level(codes[threadIdx.x]) + entries[threadIdx.x & 1].b[1] + sizeof(levels);
}
template <typename T> __global__ void generic(T *values) { values[threadIdx.x] = (T)levels[threadIdx.x & 3]; }
template __global__ void generic(float *);
#define SAY(text) (void)(text)
__global__ void steps(float *values) {
  SAY("far levels");
  static float step[2] = {1, 2};
  static __constant__ float far[2] = {3, 4};
  values[threadIdx.x] += step[threadIdx.x & 1] + far[threadIdx.x & 1];
}
// Without -rdc, no other file can name it.
__device__ float offsets[2] = {5, 6};
__global__ void scale(float *v, float f) { v[threadIdx.x] = v[threadIdx.x] * f + offsets[threadIdx.x & 1]; }

//--- changed.cu
static __device__ float a[4] = {1, 2}, b[4] = {1, 2}, c[4] = {1, 2}, d[4] = {1, 2}, e[4] = {1, 2};
__device__ float v[4] = {1, 2};
__global__ void written(float *x) { x[0] = a[threadIdx.x]++; }
__device__ float of(const float *p) { return *p; }
__global__ void lent(float *x) { x[0] = of(b); }
__global__ void seen(float *x) { x[0] = c[threadIdx.x]; }
__global__ void elsewhere(float *x) {
#if __CUDA_ARCH__ < 900
  c[0] = 1;
#endif
}
__global__ void filled(float *x) { x[0] = d[threadIdx.x]; }
void fill(const float *from) { cudaMemcpyToSymbol(d, from, sizeof(d)); }
__global__ void other(float *x) { x[0] = e[threadIdx.x]; }
template <typename T> __global__ void writes(T x) { e[0] = x; }
template __global__ void writes(float);
__global__ void visible(float *x) { x[0] = v[threadIdx.x]++; }
static __device__ float f[4] = {1, 2};
namespace kept {
static __device__ float g[4] = {1, 2};
}
__global__ void assembled(float *x) { x[0] = f[threadIdx.x]; }
__global__ void mangled(float *x) { x[0] = kept::g[threadIdx.x]; }
template <typename T> __global__ void assembles(T x) { asm volatile("st.global.f32 [f], %0;" ::"f"(x)); }
__device__ void assemblesToo() {
#if __CUDA_ARCH__ < 900
  asm volatile("st.global.f32 [_ZN4kept1gE], 0f3F800000;");
#endif
}
__global__ void counts(int *x) {
  static int n = 0;
  x[0] = ++n;
}

//--- header.h
#pragma once
static __constant__ float own[4] = {1, 2};
__constant__ float filled[4] = {1, 2};
template <typename T> __global__ void ofHeader(T *x) { x[0] = own[threadIdx.x & 3]; }
static __global__ void steady(float *x) {
  static float step[2] = {1, 2};
  x[threadIdx.x] += step[threadIdx.x & 1];
}

//--- launched.cu
#include "header.h"
template __global__ void ofHeader(float *);
__global__ void ofFile(float *x) { x[0] = filled[threadIdx.x & 3]; }
