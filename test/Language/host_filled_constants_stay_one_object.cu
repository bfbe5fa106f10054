// Memory that the host fills is declared extern, in its own namespace and with its own type; the rest is a copy.
// RUN: %cufuse fuse '%s:filter(float *)' %s:deep::filter %s:ofC %s:atOnce --block 64 --block 64 --block 64 --block 64 -o %t.cu -- -rdc=true
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -rdc=true -cubin -o %t.cubin %t.cu

// CHECK: extern __constant__ float Weights[3][3];
// CHECK: namespace deep {
// CHECK: extern __constant__ float Weights[4];
// CHECK: extern __device__ unsigned int Counter;
// CHECK: extern __device__ unsigned int Others;
// CHECK: extern __device__ unsigned int *Last;
// CHECK: extern "C" __constant__ float Gains[2];
// CHECK: struct Limits { float low, high; };
// CHECK: extern __constant__ {{.*}}::Limits limits;
// CHECK-NOT: __constant__ float Weights[3][3];

__constant__ float Weights[3][3];
namespace deep {
constexpr int N = 2;
__constant__ float Weights[2 * N];
} // namespace deep
__device__ unsigned Counter, Others, *Last;

__global__ void filter(float *data) {
  data[threadIdx.x] *= Weights[threadIdx.x % 3][1];
  atomicAdd(&Counter, 1);
}
namespace deep {
__global__ void filter(float *data) {
  data[threadIdx.x] *= Weights[threadIdx.x % 4] + ::Weights[0][0] + deep::Weights[1];
  atomicAdd(&::Counter, 1);
  atomicAdd(&Others, 1);
  Last = &Others;
}
} // namespace deep
extern "C" {
__constant__ float Gains[2];
}
__global__ void ofC(float *data) { data[threadIdx.x] *= Gains[threadIdx.x & 1]; }
// A type that is declared with its variables.
__constant__ struct Limits { float low, high; } limits, *others;
__device__ enum Mode { Clamp, Wrap } mode;
__global__ void atOnce(float *data) {
  const Limits own = mode == Clamp ? limits : *others;
  data[threadIdx.x] = min(max(data[threadIdx.x], own.low), own.high);
}
