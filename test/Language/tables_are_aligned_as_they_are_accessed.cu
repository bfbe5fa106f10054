// Alone, a table lies at the beginning of its memory, and may be read by vectors: beside one of another kernel it says so.
// RUN: %cufuse fuse %s:scalars %s:vectors --block 64 --block 64 --name two -o %t.cu
// RUN: %nvcc -arch=sm_90a -ptx -o %t.ptx %t.cu && FileCheck %s --input-file %t.ptx
// CHECK-DAG: .const .align 4 {{.*}}bias
// CHECK-DAG: .align 4 {{.*}}shift
// CHECK-DAG: .const .align 16 {{.*}}weights
// CHECK-DAG: .align 16 {{.*}}gains
// CHECK-DAG: .align 16 {{.*}}inside

__constant__ float bias[3] = {1, 2, 3};
__device__ const float shift[3] = {4, 5, 6};
__global__ void scalars(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + bias[i % 3] + shift[i % 3];
}

__constant__ float weights[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
__device__ const float gains[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
__global__ void vectors(const float *x, float *y, int n) {
  static const float inside[4] = {1, 2, 3, 4};
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float4 v = reinterpret_cast<const float4 *>(weights)[i % 4], u = reinterpret_cast<const float4 *>(gains)[i % 4];
    const float2 w = reinterpret_cast<const float2 *>(inside)[i % 2];
    y[i] = x[i] * v.x + v.y + v.z * v.w + u.x * u.y * u.z * u.w + w.x * w.y;
  }
}
