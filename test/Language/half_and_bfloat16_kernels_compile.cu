// Half-precision scalars, vectors and intrinsics; operators that cuda_fp16.h declares; mathematics, of which the header's
// assembly has registers of its own (`{.reg.b32 f, C;`).
// RUN: %cufuse fuse '%s:axpy<half>' '%s:axpy<__nv_bfloat16>' %s:vectors %s:values %s:maths --block 64 --block 64 --block 64 --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_80 -cubin -o %t.80.cubin %t.cu

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T> __global__ void axpy(T *y, const T *x, T a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = __hadd(__hmul(a, x[i]), y[i]) + T(0.5f);
}
__global__ void values(half2 *data, half2 scale, __nv_bfloat162 shift) {
  data[threadIdx.x] = __hmul2(data[threadIdx.x], scale);
  data[threadIdx.x].x += __float2half(__low2float(shift));
}
__global__ void vectors(half2 *data, const __nv_bfloat162 *other) {
  const float2 f = __bfloat1622float2(other[threadIdx.x]);
  data[threadIdx.x] = __hfma2(data[threadIdx.x], __floats2half2_rn(f.x, f.y), __float2half2_rn(1.0f));
  data[threadIdx.x] += __shfl_xor_sync(~0u, data[threadIdx.x], 1);
}
__global__ void maths(half *h, half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2) {
  const int i = threadIdx.x;
  h[i] = hexp(h[i]) + hexp2(h[i]) + hexp10(h[i]) + hlog(h[i]) + hlog2(h[i]) + hlog10(h[i]) + hsin(h[i]) + hcos(h[i]) +
         hsqrt(h[i]) + hrsqrt(h[i]) + hrcp(h[i]);
  h2[i] = h2exp(h2[i]) + h2exp10(h2[i]) + h2log(h2[i]) + h2log10(h2[i]) + h2sin(h2[i]) + h2cos(h2[i]) + h2rsqrt(h2[i]);
  b[i] = hexp(b[i]) + hlog(b[i]) + hsqrt(b[i]);
  b2[i] = h2exp(b2[i]) + h2exp2(b2[i]) + h2log(b2[i]) + h2sqrt(b2[i]) + h2rsqrt(b2[i]);
}
