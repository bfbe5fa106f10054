// Of a variable that nothing stores to, no pointer of another kernel leads to what is changed: states of generators are
// made by a library's table, and live between the kernels of one thread.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:seed %s:estimate --block 128 --distinct --link seed.states=estimate.states \
// RUN:   --link seed.n=estimate.n -o %t/states.cu 2>&1 | FileCheck %s --check-prefix=STATES
// RUN: %cufuse fuse %s:weigh %s:shift --link weigh.out=shift.in --link weigh.n=shift.n --dead weigh.out \
// RUN:   -o %t/weighed.cu
// RUN: %exits 1 %cufuse fuse %s:count %s:shift --link count.out=shift.in --link count.n=shift.n \
// RUN:   -o %t/counted.cu 2>&1 | FileCheck %s --check-prefix=COUNTED

#include <curand_kernel.h>

// STATES: note: In turn, a thread
__global__ void seed(curandState *states, unsigned long long from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    curand_init(from, i, 0, &states[i]);
}

__global__ void estimate(curandState *states, float *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    curandState own = states[i];
    float sum = 0;
    for (int k = 0; k < 100; ++k)
      sum += curand_uniform(&own);
    sums[i] = sum;
  }
}

static __device__ float weights[4] = {0.5f, 1, 2, 4};
__global__ void weigh(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * weights[i % 4];
}

__global__ void shift(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}

static __device__ int counted = 0;
__global__ void count(float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = i;
    // COUNTED: error: {{.*}}count{{.*}}
    counted = i;
  }
}
