// Alone, a kernel's first shared array lies at the beginning of the block's, and may be accessed by vectors: beside a kernel
// whose own variables come first, it says so.
// RUN: %cufuse fuse %s:sums %s:floats --block 64 --block 64 --name both -o %t.cu && FileCheck %s --input-file %t.cu
// RUN: %nvcc -arch=sm_90a -ptx -o %t.ptx %t.cu && FileCheck %s --check-prefix=PTX --input-file %t.ptx
// CHECK: __shared__ float total;
// CHECK: __shared__ __align__(16) float row[256], other[3];
// CHECK: __shared__ __align__(16) __align__(8) short few[4];
// CHECK: __shared__ float4 wide[2];
// PTX-NOT: .shared .align {{[1-8] .*(row|other|few|wide)}}
// PTX: .shared .align 16 {{.*}}row
__global__ void sums(const float *in, float *out) {
  __shared__ float total;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  atomicAdd(&total, in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = total;
}
__global__ void floats(const float *in, float *out) {
  __shared__ float row[256], other[3];
  __shared__ __align__(8) short few[4];
  __shared__ float4 wide[2];
  *(float4 *)(row + threadIdx.x * 4) = *(const float4 *)(in + threadIdx.x * 4);
  row[0] = other[0] = few[0] = 1;
  wide[1] = {1, 2, 3, 4};
  __syncthreads();
  out[threadIdx.x] = row[255 - threadIdx.x] + other[0] + few[0] + wide[1].x;
}
