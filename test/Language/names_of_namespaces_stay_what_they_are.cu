// A namespace of the file, or of a header, that has another's name, aliases of namespaces, and `using enum`: in the output, too, each
// name leads where it led.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:proj::ops::counted %t/kernels.cu:proj::aliased %t/kernels.cu:other --block 64 --name names \
// RUN:   --block 64 --block 64 -o %t/names.cu -- -std=c++20 -I %t
// RUN: FileCheck %s --input-file=%t/names.cu
// RUN: %nvcc -std=c++20 -cubin -arch=sm_90a -I %t -o %t/names.cubin %t/names.cu
// CHECK: namespace cuda = ::proj::cuda;
// CHECK: namespace l = ::proj::l;
// CHECK: using enum ::sizes::Size;

//--- lib.h
#pragma once
#include <cuda/std/cstdint>
namespace sizes {
enum class Size { Small = 4, Large };
}
namespace lib {
__device__ inline float twice(float x) { return 2 * x; }
} // namespace lib
namespace proj {
namespace cuda {
using index_t = unsigned;
}
namespace l = lib;
using enum sizes::Size;
} // namespace proj

//--- kernels.cu
#include "lib.h"
namespace proj {
namespace ops {
__global__ void counted(float *p, cuda::index_t n) {
  cuda::index_t i = threadIdx.x;
  if (i < n)
    p[i] = 1;
}
} // namespace ops
__global__ void aliased(float *p) { p[threadIdx.x] = l::twice(3) + static_cast<int>(Small); }
} // namespace proj
__global__ void other(float *p) { p[threadIdx.x] = 9; }
