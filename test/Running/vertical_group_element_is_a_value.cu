// What a kernel loads of a group that it changes is a value, whatever its type follows from: a variable declared auto keeps
// what it was, a reference does not, and elements of class types are converted as they are.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical a.cu:source a.cu:exchanged --link source.out=exchanged.in --link source.n=exchanged.n \
// RUN:   --block 32 --name kept -o kept.cu
// RUN: %cufuse fuse --vertical a.cu:halves a.cu:added --link halves.out=added.in --link halves.n=added.n --block 32 \
// RUN:   --name cast -o cast.cu
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I %t %t/main.cu %t/kept.cu %t/cast.cu

//--- a.cu
#include <cuda_fp16.h>
__global__ void source(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2;
}
__global__ void exchanged(const float *__restrict__ in, float *__restrict__ x, float *__restrict__ old, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    const int i = 4 * t + k;
    if (i < n) {
      auto before = x[i];
      const float &now = x[i];
      x[i] = in[i];
      old[i] = before + 1000 * now;
    }
  }
}
__global__ void halves(const __half *__restrict__ in, __half *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = __hadd(in[i], in[i]);
}
__global__ void added(const __half *__restrict__ in, __half *__restrict__ x, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    const int i = 4 * t + k;
    if (i < n)
      x[i] = __float2half(static_cast<float>(x[i]) + static_cast<float>(in[i]));
  }
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "cast.h"
#include "kept.h"

int main() {
  bool good = true;
  for (int n : {1, 64, 67}) {
    Array<float> in(n, 7), middle(n), x(n, 5), old(n);
    Both kept;
    kept.output("middle", middle), kept.output("x", x), kept.output("old", old);
    good &= kept.same(
        "kept",
        [&] {
          source<<<3, 32>>>(in, middle, n);
          exchanged<<<1, 32>>>(middle, x, old, n);
        },
        [&] {
          kept::source_exchanged::Launch launch{};
          launch.grid = 1;
          launch.arguments = {in, middle, n, x, old};
          require(kept::launch(launch), "kept");
        });
    Array<__half> a(n, 7), b(n), y(n, 5);
    Both cast;
    cast.output("b", b), cast.output("y", y);
    good &= cast.same(
        "cast",
        [&] {
          halves<<<3, 32>>>(a, b, n);
          added<<<1, 32>>>(b, y, n);
        },
        [&] {
          cast::halves_added::Launch launch{};
          launch.grid = 1;
          launch.arguments = {a, b, n, y};
          require(cast::launch(launch), "cast");
        });
  }
  return good ? 0 : 1;
}
