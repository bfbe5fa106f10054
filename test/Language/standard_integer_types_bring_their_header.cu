// A name of namespace std that a header only re-declares needs that header.
// RUN: %cufuse fuse %s:usesStd %s:usesUsing --block 64 --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK: #include <cstdint>

#include <cstdint>

using std::int16_t;

__global__ void usesStd(std::uint64_t *data, std::int8_t value) { data[threadIdx.x] = std::uint32_t(value); }
__global__ void usesUsing(int16_t *data) { data[threadIdx.x] += 1; }
