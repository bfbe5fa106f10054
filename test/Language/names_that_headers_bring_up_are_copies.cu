// A function of a header that has shared memory is copied for each kernel. What the header brings up, by a using
// declaration or by another name of a namespace, must then be the copy: else both kernels have one array. Where a name
// leads to the header's own in spite of that, the output is refused.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse a.cu:first b.cu:second --block 64 --block 64 --name out -o out.cu
// RUN: FileCheck %s < out.cu
// CHECK: cufuse_first {
// CHECK-NOT: using ::lib::scratch
// CHECK: inline __device__ float *scratch() { __shared__ float all[64]
// CHECK: using detail::scratch;
// CHECK: namespace own = detail;
// CHECK: cufuse_second {
// CHECK: inline __device__ float *scratch() { __shared__ float all[64]
// CHECK: using detail::scratch;
// CHECK: namespace own = detail;
// RUN: %exits 1 %cufuse fuse a.cu:byArgument b.cu:byArgumentToo --block 64 --block 64 -o no.cu 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: {{.*}}, `all` is one with another kernel's

//--- memory.h
#pragma once
namespace lib {
namespace detail {
inline __device__ float *scratch() { __shared__ float all[64]; return all; }
template <typename T> __device__ T *more() { __shared__ T all[64]; return all; }
} // namespace detail
using detail::scratch;
namespace own = detail;
struct Tag {};
inline __device__ float *operator~(Tag) { __shared__ float all[64]; return all; }
} // namespace lib
//--- a.cu
#include "memory.h"
__global__ void first(const float *in, float *out) {
  float *own = lib::scratch(), *more = lib::own::more<float>();
  own[threadIdx.x] = in[threadIdx.x];
  more[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = own[63 - threadIdx.x] + more[63 - threadIdx.x];
}
__global__ void byArgument(const float *in, float *out) {
  float *own = ~lib::Tag();
  own[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = own[63 - threadIdx.x];
}
//--- b.cu
#include "memory.h"
__global__ void second(const float *in, float *out) {
  float *own = lib::scratch(), *more = lib::own::more<float>();
  own[threadIdx.x] = 2 * in[threadIdx.x];
  more[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = own[63 - threadIdx.x] + more[63 - threadIdx.x];
}
__global__ void byArgumentToo(const float *in, float *out) {
  float *own = ~lib::Tag();
  own[threadIdx.x] = 2 * in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = own[63 - threadIdx.x];
}
