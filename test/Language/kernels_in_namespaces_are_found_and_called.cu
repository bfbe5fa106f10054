// Nested, inline and anonymous namespaces, `using namespace`, aliases and using declarations.
// RUN: %cufuse fuse %s:outer::inner::nested %s:outer::versioned %s:hidden %s:outer::ofInner --block 64 --block 64 --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %FileCheck %s < %t.cu

// CHECK: inner::nested(
// CHECK: outer::versioned(

namespace outer {
struct Value {
  float v;
};
namespace inner {
constexpr float K = 2;
__device__ float help(float x) { return x * K; }
__global__ void nested(Value *data) { data[threadIdx.x].v = help(data[threadIdx.x].v); }
} // namespace inner
inline namespace v2 {
__device__ float help(float x) { return x - 1; }
__global__ void versioned(outer::Value *data, float bias) { data[threadIdx.x].v = v2::help(data[threadIdx.x].v) + bias; }
} // namespace v2
} // namespace outer

namespace {
namespace in = outer::inner;
using outer::Value;
__device__ float secret(float x) { return in::help(x) + 1; }
__global__ void hidden(Value *data) { data[threadIdx.x].v = secret(data[threadIdx.x].v); }
} // namespace

namespace far {
namespace away {
__device__ float farHelp(float x) { return x + threadIdx.x; }
} // namespace away
} // namespace far
using namespace far;
namespace outer {
using namespace away;
__global__ void ofInner(float *data) {
  using namespace inner;
  data[threadIdx.x] = farHelp(data[threadIdx.x]) + K;
}
} // namespace outer
