// A name of namespace std that a header only re-declares needs that header, and so does a macro that it has of the
// compiler's.
// RUN: %cufuse fuse %s:usesStd %s:usesUsing %s:usesFloat --block 64 --block 64 --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %cufuse fuse %s:usesFloat %s:usesFloat --block 64 --block 64 -o %t.float.cu
// RUN: %FileCheck %s --check-prefix=FLOAT < %t.float.cu

// FLOAT: #include <cfloat>
// CHECK: #include <cstdint>
// CHECK: #include <cfloat>

#include <cstdint>

#include <cfloat>

using std::int16_t;

__global__ void usesStd(std::uint64_t *data, std::int8_t value) { data[threadIdx.x] = std::uint32_t(value); }
__global__ void usesUsing(int16_t *data) { data[threadIdx.x] += 1; }
__global__ void usesFloat(float *data) { data[threadIdx.x] = fminf(data[threadIdx.x], FLT_MAX); }
