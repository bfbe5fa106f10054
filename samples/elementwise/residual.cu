// out = in + residual.
__global__ void addResidual(const float *__restrict__ in, const float *__restrict__ residual, float *__restrict__ out,
                            int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + residual[i];
}
