// A __managed__ variable is the program's, which host code reads and writes at any time.
// RUN: %cufuse fuse %s:count %s:counters::total --block 64 --block 64 --name fused -o %t.cu -- -rdc=true
// RUN: FileCheck %s --input-file=%t.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -arch=sm_90a -rdc=true -c -o %t.o %t.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -arch=sm_90a -rdc=true -c -o %t.own.o %s
// RUN: %nvcc -arch=sm_90a -rdc=true -dlink -o %t.linked.o %t.o %t.own.o
// CHECK: #error "variables are shared with other objects
// CHECK: extern __managed__ unsigned int seen[2];
// CHECK: namespace counters {
// CHECK-NEXT: extern __managed__ int limit;
__managed__ unsigned seen[2];
namespace counters {
__managed__ int limit = 3;
}

__global__ void count(const float *data) {
  if (data[threadIdx.x] > 0)
    atomicAdd(&seen[threadIdx.x % 2], 1);
}

namespace counters {
__global__ void total(float *data) { data[threadIdx.x] = limit; }
} // namespace counters

unsigned host() { return seen[0] + counters::limit; }
