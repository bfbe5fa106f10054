// Linked parameters have the same type.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:whole --block 128 \
// RUN:   --link scale.mid=whole.in --link scale.n=whole.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECK '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:whole --block 128 \
// RUN:   --link scale.n=whole.factor -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=NUMBER '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical %s:pairs %s:sums --block 128 \
// RUN:   --link pairs.out=sums.in --link pairs.n=sums.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=COPIED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical %s:shifted %s:mirrored --block 128 \
// RUN:   --link shifted.by=mirrored.by --link shifted.n=mirrored.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=VALUE '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0

__global__ void scale(const float *__restrict__ in, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = 2 * in[i];
}

// CHECK: {{[^ ]*}}:[[#@LINE+4]]:17: error: linked parameters have different types: scale.mid is float *,
// CHECK-SAME: whole.in is const int * [LinkedTypes]
// CHECK: note: give them the same type, from a header
// NUMBER: error: {{.*}} scale.n is int, whole.factor is float [LinkedTypes]
__global__ void whole(const int *__restrict__ in, int *__restrict__ out, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * factor;
}

// Each kernel has a copy of what stands in its file.
struct Pair {
  float a, b;
};
__global__ void pairs(Pair *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = Pair{1, 2};
}
// COPIED: error: {{.*}} sums.in is {{.*}}Pair *, which stands in the kernel's file itself [LinkedTypes]
__global__ void sums(const Pair *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i].a + in[i].b;
}

__global__ void shifted(float *__restrict__ out, Pair by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = i + by.a;
}
// VALUE: error: {{.*}} mirrored.by is {{.*}}Pair, which stands in the kernel's file itself [LinkedTypes]
__global__ void mirrored(float *__restrict__ out, Pair by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = by.b - i;
}
