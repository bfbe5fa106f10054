// A vector of elements may be assigned to a variable that is there before: from memory it is copied, from what stands for
// it, moved.
// RUN: %cufuse fuse --vertical %s:twice %s:third --link twice.out=third.in --link twice.n=third.n --dead twice.out --block 64 \
// RUN:   --name assigned -o %t.cu
// RUN: FileCheck %s --input-file=%t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
__global__ void twice(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2;
}
__global__ void third(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v[1];
  if (4 * i + 3 < n) {
    // CHECK: v[0] = cufuse_as<const float4>(in)[i];
    v[0] = reinterpret_cast<const float4 *>(in)[i];
    reinterpret_cast<float4 *>(out)[i] = make_float4(3 * v[0].x, 3 * v[0].y, 3 * v[0].z, 3 * v[0].w);
  } else {
    for (int j = 4 * i; j < n; ++j)
      out[j] = 3 * in[j];
  }
}
