// Blocks of one, two and three dimensions, not all of them whole warps, with grids of their own.
// RUN: %cufuse fuse %s:flat %s:plane %s:volume --block 100 --block 32x8 --block 5x3x2 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.90.cubin %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_80 -cubin -o %t.80.cubin %t.cu

// CHECK: threads    0 to  127: flat, block 100
// CHECK: threads  128 to  383: plane, block 32x8
// CHECK: threads  384 to  415: volume, block 5x3x2
// CHECK: using cufuse_partition = {{.*}}::CufusePartition<0, 1, 100, 1, 1>;
// CHECK: using cufuse_partition = {{.*}}::CufusePartition<128, 2, 32, 8, 1>;
// CHECK: using cufuse_partition = {{.*}}::CufusePartition<384, 0, 5, 3, 2>;
// CHECK: rank() >= 100)
// CHECK: flat::flat(
// CHECK: plane::plane(
// CHECK: threadIdx.x >= 414)
// CHECK: volume::volume(

__global__ void flat(const float *in, float *out, int n) {
  __shared__ float tile[100];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (i < n)
    out[i] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void plane(const float *in, float *out, int width, int height) {
  __shared__ float tile[8][33];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = x < width && y < height ? in[y * width + x] : 0.0f;
  __syncthreads();
  if (x < width && y < height)
    out[y * width + x] = tile[threadIdx.y][threadIdx.x ^ 1];
}

__global__ void volume(float *data, dim3 size) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= size.x || y >= size.y || z >= size.z)
    return;
  data[(z * size.y + y) * size.x + x] *= 2.0f;
}
