// nvcc only warns of most narrowing conversions.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:pack %s:pack --block 32 --block 64 -o %t/fused.cu
// RUN: %nvcc -std=c++17 -arch=sm_90a -cubin -o %t/fused.cubin %t/fused.cu
__global__ void pack(uchar4 *out, const ushort4 *in, float f) {
  const ushort4 v = in[threadIdx.x];
  uchar4 packed = {v.x, v.y, v.z, v.w};
  int numbers[2] = {0.0, f};
  packed.x += numbers[1];
  out[threadIdx.x] = packed;
}
