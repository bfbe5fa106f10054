// What stands between and behind the products of a multi-layer perceptron, an element a thread.
#include <cuda_fp16.h>

__global__ void relu(const __half *__restrict__ in, __half *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = __float2half(fmaxf(__half2float(in[i]), 0.0f));
}

/// A bias for each column, and GELU in its tanh form (Hendrycks and Gimpel, arXiv 1606.08415).
__global__ void biasGelu(const __half *__restrict__ in, const __half *__restrict__ bias, __half *__restrict__ out,
                         int n, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float x = __half2float(in[i]) + __half2float(bias[i % columns]);
    out[i] = __float2half(0.5f * x * (1.0f + tanhf(0.7978845608028654f * (x + 0.044715f * x * x * x))));
  }
}

/// SwiGLU: one product is the gate of another (Shazeer, arXiv 2002.05202).
__global__ void swiGlu(const __half *__restrict__ gate, const __half *__restrict__ in, __half *__restrict__ out,
                       int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float x = __half2float(gate[i]);
    out[i] = __float2half(x / (1.0f + __expf(-x)) * __half2float(in[i]));
  }
}

/// What came into the perceptron is added to what comes out.
__global__ void addResidual(const __half *__restrict__ in, const __half *__restrict__ residual,
                            __half *__restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = __float2half(__half2float(in[i]) + __half2float(residual[i]));
}
