// Two variables of one name and type that the host fills: each use still means the nearer one.
// RUN: %cufuse fuse %s:deep::filter --block 64 -o %t.cu -- -rdc=true
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -rdc=true -ptx -o %t.ptx %t.cu
// RUN: %FileCheck %s --check-prefix=PTX < %t.ptx

// PTX: .extern .const {{.*}} _ZN4deep7WeightsE
// PTX-NOT: {{[ +\[]}}Weights{{[^E]}}

__constant__ float Weights[4];
namespace deep {
__constant__ float Weights[4];
__global__ void filter(float *data) { data[threadIdx.x] *= Weights[threadIdx.x % 4] + deep::Weights[1]; }
} // namespace deep
__global__ void other(float *data) { data[threadIdx.x] *= Weights[threadIdx.x % 4]; }
