// --unroll keeps what the kernel computes, whatever its loop is written like.
// RUN: split-file %s %t
// RUN: cd %t && %cufuse fuse kernels.cu:macroLast kernels.cu:macroConstant kernels.cu:commented kernels.cu:hinted \
// RUN:   kernels.cu:qualified kernels.cu:conditional 'kernels.cu:discarding<2>' kernels.cu:continuing --name written \
// RUN:   --unroll 3 --unroll 3 --unroll 3 --unroll 3 --unroll 3 --unroll 3 --unroll 3 --unroll 3 -o written.cu
// RUN: FileCheck %s --input-file=%t/written.cu
// RUN: %execute -I %S/../Running/Inputs -I %t %t/main.cu %t/written.cu
//
// The whole call of a macro.
// CHECK: i < DIVIDE(n, 4); ) { {{.*}} && (i < DIVIDE(n, 4)))
// CHECK: i < COUNT; ) { {{.*}} && (i < COUNT))
// Not the semicolon of the comment.
// CHECK: cufuse_value0[cufuse_turn] /* ; */; } }
// CHECK: #pragma unroll 2
// CHECK-NEXT: for (int i = threadIdx.x; i < n; ) {
// Text that is changed where it stands, or holds directives, stays there.
// CHECK: _Pragma("unroll 3") for (::written_text::cufuse_qualified::Index i
// CHECK: _Pragma("unroll 3") for (int i = threadIdx.x; i < n
// A branch that is discarded is compiled nevertheless.
// CHECK: { int i = cufuse_at[cufuse_turn]; {
// CHECK: i += 1;
// What is loaded behind a `continue` may not be there.
// CHECK: _Pragma("unroll 3") for (int i = threadIdx.x; i < 2 * n; i += blockDim.x)

//--- kernels.cu
#define DIVIDE(a, b) (((a) + (b) - 1) / (b))
#define COUNT 300
using Index = int;
#define KERNEL __global__ void __launch_bounds__(64)

KERNEL macroLast(const int *__restrict__ in, int *out, int n) {
  for (int i = threadIdx.x; i < DIVIDE(n, 4); i += blockDim.x)
    out[i] = in[i];
}
KERNEL macroConstant(const int *__restrict__ in, int *out, int n) {
  for (int i = threadIdx.x; i < COUNT; i += blockDim.x)
    out[i] = in[i] + n;
}
KERNEL commented(const int *__restrict__ in, int *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = in[i] /* ; */;
  __syncthreads();
  out[(threadIdx.x + 1) % 64] += 1;
}
KERNEL hinted(const int *__restrict__ in, int *out, int n) {
#pragma unroll 2
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = in[i];
}
KERNEL qualified(const int *__restrict__ in, int *out, int n) {
  for (::Index i = threadIdx.x; i < static_cast<::Index>(n); i += blockDim.x)
    out[i] = in[i];
}
KERNEL conditional(const int *__restrict__ in, int *out, int n) {
  for (int i = threadIdx.x; i < n
#ifdef COUNT
                            - 1
#endif
       ; i += blockDim.x)
    out[i] = in[i];
}
template <int Step> KERNEL discarding(const int *__restrict__ in, int *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    out[i] = in[i] + Step;
    if constexpr (Step > 3)
      i += 1;
  }
}
template __global__ void discarding<2>(const int *__restrict__, int *, int);
KERNEL continuing(const int *__restrict__ in, int *out, int n) {
  for (int i = threadIdx.x; i < 2 * n; i += blockDim.x) {
    const int bound = ({ if (i >= n) continue; n; });
    out[i] = in[i] + bound;
  }
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "written.h"

int main() {
  constexpr int n = 500;
  Array<int> in(n), a(n), b(n), c(n), d(n), e(n), f(n), g(n), h(n);
  Both both;
  for (Array<int> *each : {&a, &b, &c, &d, &e, &f, &g, &h})
    both.output("out", *each);
  const bool good = both.same(
      "written",
      [&] {
        macroLast<<<1, 64>>>(in, a, n), macroConstant<<<1, 64>>>(in, b, n), commented<<<1, 64>>>(in, c, n);
        hinted<<<1, 64>>>(in, d, n), qualified<<<1, 64>>>(in, e, n), conditional<<<1, 64>>>(in, f, n);
        discarding<2><<<1, 64>>>(in, g, n), continuing<<<1, 64>>>(in, h, n);
      },
      [&] {
        require(written::launch({1, 64, {in, a, n}}, {1, 64, {in, b, n}}, {1, 64, {in, c, n}}, {1, 64, {in, d, n}},
                                {1, 64, {in, e, n}}, {1, 64, {in, f, n}}, {1, 64, {in, g, n}}, {1, 64, {in, h, n}}),
                "written");
      });
  return good ? 0 : 1;
}
