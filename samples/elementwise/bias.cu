// A row of biases added to every row of a matrix: out[r][c] = in[r][c] + bias[c].
__global__ void addBias(const float *__restrict__ in, const float *__restrict__ bias, float *__restrict__ out, int n,
                        int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + bias[i % columns];
}
