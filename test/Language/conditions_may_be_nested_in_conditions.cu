// `A && (B || C)` with A of the thread has a value where `threadIdx` is an object's, and a branch where it is none: the output is
// compared with its kernel whatever the depth.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:converged %s:scaled --block 64 --block 64 --name first -o %t/first.cu
// RUN: %cufuse fuse %s:largest %s:scaled --block 64 --block 64 --name second -o %t/second.cu
// RUN: %cufuse fuse %s:deep %s:scaled --block 64 --block 64 --name third -o %t/third.cu

__global__ void converged(float *residual, int *done, int n) {
  if (threadIdx.x == 0 && (n > 4 || residual[0] < 1e-6f))
    *done = 1;
}

__global__ void largest(const float *in, int *at, int n) {
  __shared__ float most[64];
  __shared__ int where[64];
  most[threadIdx.x] = in[threadIdx.x];
  where[threadIdx.x] = threadIdx.x;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    const int other = threadIdx.x + half;
    if (threadIdx.x < half && (most[other] > most[threadIdx.x] ||
                               (most[other] == most[threadIdx.x] && where[other] < where[threadIdx.x]))) {
      most[threadIdx.x] = most[other];
      where[threadIdx.x] = where[other];
    }
  }
  if (threadIdx.x == 0 || (n > 64 && in[0] > 3))
    *at = where[0];
}

__global__ void deep(const float *in, float *out, int n) {
  if (threadIdx.x < 32 && (n > 3 || (in[0] > 1 && (in[1] > 2 || (in[2] > 3 && !(threadIdx.x == 5 || in[3] > 4))))))
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void scaled(float *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] *= 3;
}
