// A kernel may store where an earlier one has loaded, and each is right to call its pointers __restrict__. Fused, blocks
// would load what others have stored: the launcher refuses that, with --distinct and without.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:smooth kernels.cu:halve --link smooth.y=halve.in --link smooth.n=halve.n \
// RUN:   --dead smooth.y --block 64 --name plain -o %t/plain.cu
// RUN: %cufuse fuse --vertical kernels.cu:smooth kernels.cu:halve --link smooth.y=halve.in --link smooth.n=halve.n \
// RUN:   --dead smooth.y --block 64 --distinct --name distinct -o %t/distinct.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/plain.cu %t/distinct.cu

//--- kernels.cu
__global__ void smooth(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float near[66];
  const int i = blockIdx.x * 64 + threadIdx.x;
  near[threadIdx.x + 1] = i < n ? x[i] : 0;
  if (threadIdx.x == 0)
    near[0] = i > 0 ? x[i - 1] : 0;
  if (threadIdx.x == 63)
    near[65] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n)
    y[i] = near[threadIdx.x] + near[threadIdx.x + 1] + near[threadIdx.x + 2];
}
__global__ void halve(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] / 2;
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "distinct.h"
#include "plain.h"

template <typename Launch> bool check(cudaError_t (*launch)(const Launch &, cudaStream_t), const char *name) {
  constexpr int n = 300, grid = 5;
  Array<float> x(n, 9), middle(n), y(n);
  Launch given{};
  given.grid = grid, given.arguments.x = x, given.arguments.n = n, given.arguments.out = x;
  const bool refused = launch(given, nullptr) == cudaErrorInvalidConfiguration;
  given.arguments.out = y;
  Both both;
  both.output("y", y);
  return both.same(
             name,
             [&] {
               smooth<<<grid, 64>>>(x, middle, n);
               halve<<<grid, 64>>>(middle, y, n);
             },
             [&] { require(launch(given, nullptr), name); }) &&
         refused;
}

int main() {
  const bool plain = check(plain::launch, "plain");
  return check(distinct::launch, "distinct") && plain ? 0 : 1;
}
