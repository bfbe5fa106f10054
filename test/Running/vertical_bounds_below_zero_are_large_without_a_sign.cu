// `i < n - 1` with a size_t i: n - 1 is widened, so that every thread stores where n is 0. A launch with that is none.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse --vertical %t/steps.cu:differences %t/steps.cu:sums --block 64 --name atloads -o %t/atloads.cu
// RUN: %cufuse fuse --vertical %t/steps.cu:plus %t/steps.cu:swaps --block 64 --name inturn -o %t/inturn.cu
// RUN: %cufuse fuse --vertical %t/steps.cu:upTo %t/steps.cu:doubled --name wide -o %t/wide.cu
// RUN: FileCheck %s --input-file=%t/atloads.cu --check-prefix=ASKS
// RUN: FileCheck %s --input-file=%t/inturn.cu --check-prefix=TAKEN
// RUN: %execute -D SAMPLE_NO_MAIN -I %S/Inputs -I %t -I %samples/elementwise %t/main.cu %t/atloads.cu %t/inturn.cu %t/wide.cu
// ASKS: static_cast<long long>(n) - 1ll < 0
// TAKEN: static_cast<long long>(n) - 1ll * c < 0

// Nor is a launch of none one whose count wraps.

//--- steps.cu
#include <cstddef>
__global__ void differences(const float *x, float *y, int n) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n - 1)
    y[i] = x[i + 1] - x[i];
}
__global__ void sums(const float *y, float *s, int n) {
  __shared__ float parts[64];
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  parts[threadIdx.x] = i < n - 1 ? y[i] : 0;
  __syncthreads();
  if (threadIdx.x)
    return;
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += parts[k];
  s[blockIdx.x] = sum;
}
__global__ void plus(const float *x, float *y, int n, int c) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < size_t(n - c))
    y[i] = x[i] + 1;
}
__global__ void swaps(const float *y, float *z, int n, int c) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  __shared__ float s[64];
  s[threadIdx.x] = i < size_t(n - c) ? y[i] : 0;
  __syncthreads();
  if (i < size_t(n - c))
    z[i] = s[threadIdx.x ^ 1] + y[i];
}
__global__ void upTo(const float *x, float *y, size_t n) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i <= n)
    y[i] = x[i] + 1;
}
__global__ void doubled(const float *y, float *z, size_t n) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i <= n)
    z[i] = y[i] * 2;
}
void wides(const float *x, float *y, float *z, size_t n) {
  upTo<<<8, 64>>>(x, y, n);
  doubled<<<8, 64>>>(y, z, n);
}
void launches(const float *x, float *y, float *s, float *z, int n, int c) {
  differences<<<4, 64>>>(x, y, n);
  sums<<<4, 64>>>(y, s, n);
  plus<<<4, 64>>>(x, y, n, c);
  swaps<<<4, 64>>>(y, z, n, c);
}

//--- main.cu
#include "both.h"
#include <cstdio>

#include "steps.cu"

#include "atloads.h"
#include "inturn.h"
#include "wide.h"

static bool declined(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    std::printf("%s: launched\n", what);
  return error != cudaSuccess;
}
int main() {
  bool good = true;
  for (const int n : {2, 3, 100, 256}) {
    Array<float> x(257, 5), y(257, 7), s(4, 3), z(257, 2);
    Both both;
    both.output("y", y);
    both.output("s", s);
    both.output("z", z);
    const int c = 1;
    good &= both.same(
        "atloads",
        [&] {
          differences<<<4, 64>>>(x, y, n);
          sums<<<4, 64>>>(y, s, n);
        },
        [&] {
          atloads::differences_sums::Launch launch{};
          launch.grid = dim3(4);
          auto &given = launch.arguments;
          given.x = x, given.y = y, given.s = s, given.n = n;
          require(atloads::launch(launch), "atloads");
        });
    good &= both.same(
        "inturn",
        [&] {
          plus<<<4, 64>>>(x, y, n, c);
          swaps<<<4, 64>>>(y, z, n, c);
        },
        [&] {
          inturn::plus_swaps::Launch launch{};
          launch.grid = dim3(4);
          auto &given = launch.arguments;
          given.x = x, given.y = y, given.z = z, given.n = n, given.c = c;
          require(inturn::launch(launch), "inturn");
        });
    atloads::differences_sums::Launch none{};
    none.grid = dim3(4);
    none.arguments.x = x, none.arguments.y = y, none.arguments.s = s, none.arguments.n = 0;
    good &= declined(atloads::launch(none), "no elements but one");
    wide::upTo_doubled::Launch all{};
    all.arguments.x = x, all.arguments.y = y, all.arguments.z = z, all.arguments.n = ~size_t(0);
    good &= declined(wide::launch(all), "all elements");
    all.arguments.n = n;
    require(wide::launch(all), "wide");
    inturn::plus_swaps::Launch less{};
    less.grid = dim3(4);
    less.arguments.x = x, less.arguments.y = y, less.arguments.z = z, less.arguments.n = n, less.arguments.c = n + 1;
    good &= declined(inturn::launch(less), "less than none");
  }
  return good ? 0 : 1;
}
