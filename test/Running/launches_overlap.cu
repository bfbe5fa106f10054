// `--overlap`: a launch of each kernel, which begins while the one before it ends, and waits for it. Kernels of any kind, grids of
// their own, one that is there twice, dynamic shared memory, memory that a kernel overwrites while the one before reads it.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse kernels.cu:partials kernels.cu:total 'kernels.cu:scaled<float>' kernels.cu:partials --block total=32 --overlap \
// RUN:   --name steps -o steps.cu | FileCheck %s --check-prefix=SAID
// SAID: steps_partials_0.cu and steps_partials_0.h are written
// SAID: steps_total.cu
// SAID: steps_scaled.cu
// SAID: steps_partials_1.cu
// SAID: steps.cu and steps.h are written
// RUN: FileCheck %s --check-prefix=FIRST --input-file=steps_partials_0.cu
// FIRST: allows={{.*}}dependents
// FIRST: __global__ void fused(
// FIRST: const float *__restrict__ in
// FIRST: if (threadIdx.x == 0 && 1ull * gridDim.x * gridDim.y * gridDim.z <= 4096)
// FIRST-NEXT: asm volatile("griddepcontrol.launch_dependents;");
// FIRST-NOT: griddepcontrol
// FIRST: , nullptr, 0};
// RUN: FileCheck %s --check-prefix=SECOND --input-file=steps_total.cu
// SECOND: forbids=nc
// SECOND: __global__ void fused(
// SECOND-NOT: __restrict__
// SECOND: <= 8192)
// SECOND-NEXT: asm volatile("griddepcontrol.launch_dependents;");
// SECOND-NEXT: asm volatile("griddepcontrol.wait;" ::: "memory");
// SECOND: cudaLaunchAttributeProgrammaticStreamSerialization;
// RUN: FileCheck %s --check-prefix=LAST --input-file=steps_partials_1.cu
// LAST-NOT: launch_dependents
// LAST: asm volatile("griddepcontrol.wait;" ::: "memory");
// RUN: FileCheck %s --check-prefix=WHOLE --input-file=steps.h
// WHOLE: namespace partials_0 { using ::steps_partials_0::partials::Launch; }
// WHOLE: cudaError_t launch(const partials_0::Launch &partials_0Launch, const total::Launch &totalLaunch,
// RUN: %execute -I . main.cu steps.cu steps_partials_0.cu steps_total.cu steps_scaled.cu steps_partials_1.cu

//--- kernels.cu
__global__ void partials(const float *__restrict__ in, float *__restrict__ sums, int n) {
  extern __shared__ float part[];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = part[0];
}

__global__ void total(const float *__restrict__ sums, float *__restrict__ of, int count) {
  float sum = threadIdx.x < count ? sums[threadIdx.x] : 0;
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0)
    *of = sum;
}

template <typename T> __global__ void scaled(T *x, const T *of, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  x[i] = T(int(x[i] + *of) % 7);
}

inline void launches(float *x, float *sums, float *of, int n, cudaStream_t stream) {
  partials<<<7, 64, 64 * sizeof(float), stream>>>(x, sums, n);
  scaled<float><<<(n + 127) / 128, 128, 0, stream>>>(x, of, n);
}

//--- main.cu
#include "steps.h"

#include <cstdio>
#include <vector>

int main() {
  for (const int n : {1, 100, 1000}) {
    float *x, *sums, *of;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&sums, 7 * sizeof(float));
    cudaMalloc(&of, sizeof(float));
    std::vector<float> host(n);
    for (int i = 0; i < n; ++i)
      host[i] = float(i % 5);
    cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    steps::partials_0::Launch sum{7};
    sum.dynamicSharedBytes = 64 * sizeof(float);
    sum.block = 64;
    sum.arguments = {x, sums, n};
    steps::scaled::Launch scale{unsigned(n + 127) / 128};
    scale.block = 128;
    scale.arguments = {x, of, n};
    steps::total::Launch total{1};
    total.arguments = {sums, of, 7};
    float expected = 0;
    for (int turn = 0; turn < 3; ++turn) {
      if (steps::launch(sum, total, scale, {sum.grid, sum.block, sum.dynamicSharedBytes, {x, sums, n}}))
        return 1;
      float was = 0;
      for (const float each : host)
        was += each;
      for (float &each : host)
        each = float(int(each + was) % 7);
      expected = 0;
      for (const float each : host)
        expected += each;
    }
    std::vector<float> x2(n), s2(7);
    if (cudaDeviceSynchronize())
      return 2;
    cudaMemcpy(x2.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(s2.data(), sums, 7 * sizeof(float), cudaMemcpyDeviceToHost);
    float sum2 = 0;
    for (const float each : s2)
      sum2 += each;
    if (x2 != host || sum2 != expected) {
      std::printf("n %d: %g for %g, sum %g for %g\n", n, x2[0], host[0], sum2, expected);
      return 3;
    }
    // Where the grid is not the kernel's, nothing behind it is launched.
    scale.grid.y = 2;
    if (steps::launch(sum, total, scale, {sum.grid, sum.block, sum.dynamicSharedBytes, {x, sums, n}}) !=
        cudaErrorInvalidConfiguration)
      return 4;
  }
}
