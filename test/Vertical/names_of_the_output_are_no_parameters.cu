// Parameters may be called like the rows and values that the output keeps, or like what its launcher names, and kernels
// like its objects.
// RUN: split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical rows.cu:mean rows.cu:centre --link mean.x=centre.x --link mean.columns=centre.columns \
// RUN:   --link mean.mean=centre.mean --dead mean.mean --block 64 --distinct --name rows -o rows.out.cu
// RUN: %nvcc -arch=sm_90a -cubin -o rows.cubin rows.out.cu
// RUN: %cufuse fuse --vertical stores.cu:fill stores.cu:fill_c --link fill.c=fill_c.in --link fill.n=fill_c.n --dead fill.c \
// RUN:   --block 64 --distinct --name stores -o stores.out.cu
// RUN: %nvcc -arch=sm_90a -cubin -o stores.cubin stores.out.cu
// RUN: %cufuse fuse --vertical wide.cu:made wide.cu:doubled --link made.y=doubled.in --link made.n=doubled.n --block 64 \
// RUN:   --distinct --vectorize 2 --name wide -o wide.out.cu
// RUN: grep -F 'cudaLaunchKernelEx(&config, fused, given_' wide.out.cu
// RUN: %nvcc -arch=sm_90a -c -o wide.o wide.out.cu

//--- rows.cu
__global__ void mean(const float *x, const float *xRow, float *mean, float *meanShared, int columns) {
  __shared__ float sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  float mine = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    mine += x[blockIdx.x * columns + i];
  atomicAdd(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = sum / columns + xRow[blockIdx.x];
    meanShared[blockIdx.x] = sum;
  }
}
__global__ void centre(const float *x, const float *mean, float *y, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[blockIdx.x * columns + i] = x[blockIdx.x * columns + i] - mean[blockIdx.x];
}

//--- stores.cu
__global__ void fill(const float *x, float *c, int n) {
  __shared__ float first;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    first = x[blockIdx.x];
  __syncthreads();
  if (i < n)
    c[i] = i + first;
}
__global__ void fill_c(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2;
}

//--- wide.cu
__global__ void made(const double *x, double4_32a *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = double4_32a{x[i], x[i], x[i], x[i]};
}
__global__ void doubled(const double4_32a *in, double4_32a *config, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double4_32a v = in[i];
    v.x *= 2;
    config[i] = v;
  }
}
