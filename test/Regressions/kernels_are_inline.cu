// nvcc takes `inline` once only, and its __forceinline__ has one; and a kernel may be called like the standard library.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:scale '%s:add<float>' %s:shift %s:stats::std --block 64 --block 64 --block 64 --block 64 \
// RUN:   -o %t/out.cu
// RUN: FileCheck %s --input-file %t/out.cu
// RUN: %nvcc -arch=sm_80 -c -o %t/out.o %t/out.cu
// CHECK-DAG: inline __device__ __attribute__((always_inline)) void scale(
// CHECK-DAG: __device__ __attribute__((always_inline)) __forceinline__ void shift(
inline __global__ void scale(float *data) { data[threadIdx.x] *= 2; }

template <typename T> static inline __global__ void add(T *data) { data[threadIdx.x] += 1; }

__global__ __forceinline__ void shift(float *data) { data[threadIdx.x] -= 1; }

namespace stats {
__global__ void std(float *data) { data[threadIdx.x] = threadIdx.x; }
} // namespace stats
