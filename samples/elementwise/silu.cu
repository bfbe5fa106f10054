// The gate of a SwiGLU layer (Shazeer, arXiv 2002.05202): out = silu(gate) * up.
__device__ float silu(float x) { return x / (1.0f + expf(-x)); }

__global__ void siluMul(const float *__restrict__ gate, const float *__restrict__ up, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = silu(gate[i]) * up[i];
}
