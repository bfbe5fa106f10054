// nvcc reads the output for the host, too. What the kernels' text says there is no part of the copy: it may name what is
// not copied, or what the host does not have. The variables of the device are there for the host by name and size.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:branches %s:macros %s:targets %s:tables --block 64 --block 64 --block 64 --block 64 --name fz \
// RUN:   -o %t/out.cu -- -arch=sm_90
// RUN: FileCheck %s --input-file=%t/out.cu
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t/out.h
// RUN: %nvcc -Werror all-warnings -arch=sm_90 -Wno-deprecated-gpu-targets -c -o %t/out.o %t/out.cu
// RUN: %nvcc -rdc=true -arch=sm_90 -Wno-deprecated-gpu-targets -c -o %t/out.o %t/out.cu
#include <cstdlib>
#include <nv/target>
#ifndef __CUDA_ARCH__
#include <stdexcept>
static int calls;
#endif

// CHECK: #ifdef __CUDA_ARCH__ // device code
// CHECK-NEXT: namespace fz_text { inline namespace {{.*}} { namespace cufuse_branches {

static float onHost(float x) { return x; }
__device__ float olderWay(float x) { return x; }
// CHECK: float exponential(float x) {
// CHECK-NOT: {{onHost|olderWay}}
// CHECK: return __expf(x);
// CHECK-NOT: {{onHost|olderWay}}
__host__ __device__ float exponential(float x) {
#ifdef __CUDA_ARCH__
  return __expf(x);
#else
  return onHost(x);
#endif
}
__device__ float larger(float x) {
#if __CUDA_ARCH__ >= 800
  return fmaxf(x, 0);
#else
  return olderWay(x);
#endif
}
__host__ __device__ float checked(float x) {
  if (x == 0) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ > 0
    __trap();
#else
    ++calls;
    throw std::invalid_argument("zero");
#endif
  }
  return 1 / x;
}
// CHECK: }}} // namespace fz_text::cufuse_branches
__global__ void branches(float *data) { data[threadIdx.x] = larger(exponential(checked(data[threadIdx.x]))); }

#ifdef __CUDA_ARCH__
#define DIE() __trap()
#define FENCE() asm volatile("membar.gl;")
#define ARCH __CUDA_ARCH__
#else
#define DIE() std::abort()
#define FENCE() ((void)0)
#define ARCH 0
#endif
template <int Arch> struct Config {
  static constexpr int value = Arch >= 900 ? 2 : 1;
};
__host__ __device__ void publish(volatile float *to, float value) {
  if (value < 0)
    DIE();
  *to = value;
  FENCE();
}
__global__ void macros(float *data) { publish(data + threadIdx.x, Config<ARCH>::value); }

__host__ __device__ float inverse(float x) {
  float result;
  NV_IF_TARGET(NV_IS_DEVICE, (result = __frcp_rn(x);), (result = onHost(x);))
  return result;
}
__global__ void targets(float *data) { data[threadIdx.x] = inverse(data[threadIdx.x]); }

// CHECK: namespace fz_text { inline namespace {{.*}} { namespace cufuse_tables {
// CHECK: T many[2]
// CHECK: {{^}}#else // the names of its variables
// CHECK-NEXT: namespace fz_text { inline namespace {{.*}} { namespace cufuse_tables {
// CHECK-NEXT: static __constant__ unsigned char table[32];
// CHECK-NEXT: namespace more {
// CHECK-NEXT: namespace {
// CHECK-NEXT: __device__ unsigned char own[12];
// CHECK-NEXT: }
// CHECK-NEXT: template <typename> __constant__ unsigned char many;
// CHECK-NEXT: }
// CHECK-NEXT: }} // namespace fz_text::cufuse_tables
// CHECK-NEXT: #endif

constexpr int Rows = 4;
struct Pair {
  float a, b;
};
__constant__ const Pair table[Rows] = {{1, 2}, {2, 3}, {3, 4}, {4, 5}};
namespace more {
namespace {
__device__ const float own[3] = {1, 2, 3};
}
template <typename T> __constant__ T many[2] = {T(1), T(2)};
} // namespace more

__device__ float helper(float x) {
#if __CUDA_ARCH__ >= 800
  return __expf(x);
#else
  return olderWay(x);
#endif
}
// HEADER: struct Data {
// HEADER-NEXT: float *host;
// HEADER-NEXT: float *device;
// HEADER-NOT: __device__
struct Data {
  float *host, *device;
  __host__ __device__ float *get() const {
#ifdef __CUDA_ARCH__
    return device;
#else
    return host;
#endif
  }
};
__global__ void tables(Data data, int i) {
  data.get()[threadIdx.x] = table[i % Rows].a + helper(more::own[i % 3]) + more::many<float>[i % 2];
}
