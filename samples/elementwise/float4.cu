// Kernels of this folder by vectors of four: the first ones take whole vectors alone, the last one what is left, too.
__device__ __forceinline__ float swish(float x) { return x / (1.0f + expf(-x)); }

/// n / 4 vectors; whoever calls it sees to the rest, or has none.
__global__ void siluMulFloat4(const float *__restrict__ gate, const float *__restrict__ up, float *__restrict__ out,
                              int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    const float4 x = reinterpret_cast<const float4 *>(gate)[i], y = reinterpret_cast<const float4 *>(up)[i];
    reinterpret_cast<float4 *>(out)[i] =
        make_float4(swish(x.x) * y.x, swish(x.y) * y.y, swish(x.z) * y.z, swish(x.w) * y.w);
  }
}
__global__ void addResidualFloat4(const float *__restrict__ in, const float *__restrict__ residual,
                                  float *__restrict__ out, int n) {
  const float4 *from = reinterpret_cast<const float4 *>(in);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
    const float4 x = __ldg(from + i), y = __ldg(reinterpret_cast<const float4 *>(&residual[4 * i]));
    *((float4 *)(out + 4 * i)) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
}

__global__ void scaleFloat4(const float *__restrict__ in, float *__restrict__ out, float factor, int n) {
  for (int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x); first < n; first += 4 * blockDim.x * gridDim.x)
    if (first + 3 < n) {
      float4 x = reinterpret_cast<const float4 *>(in + first)[0];
      x.x *= factor, x.y *= factor, x.z *= factor, x.w *= factor;
      __stcs(reinterpret_cast<float4 *>(out + first), x);
    } else {
      for (int i = first; i < n; ++i)
        out[i] = in[i] * factor;
    }
}
