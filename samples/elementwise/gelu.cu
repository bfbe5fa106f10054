// The Gaussian error linear unit in its tanh form (Hendrycks and Gimpel, arXiv 1606.08415).
__device__ __forceinline__ float geluTanh(float x) {
  const float inner = 0.7978845608028654f * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.0f + tanhf(inner));
}

/// By a grid-stride loop, so any grid does.
__global__ void gelu(const float *__restrict__ in, float *__restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = geluTanh(in[i]);
}
