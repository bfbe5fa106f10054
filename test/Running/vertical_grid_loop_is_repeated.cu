// A loop over the grid inside another loop starts again each time, also in turns whose elements all exist.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical a.cu:doubled a.cu:twice --link doubled.out=twice.in --link doubled.n=twice.n \
// RUN:   --dead doubled.out --vectorize 2 --block 32 --name repeated -o repeated.cu
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I %t %t/main.cu %t/repeated.cu

//--- a.cu
__global__ void doubled(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
__global__ void twice(const float *__restrict__ in, float *__restrict__ x, int n) {
  for (int again = 0; again < 2; ++again)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
      x[i] = x[i] * 3 + in[i];
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "repeated.h"

int main() {
  bool good = true;
  for (int n : {1, 64, 65}) {
    Array<float> in(n), middle(n), x(n);
    Both both;
    both.output("x", x);
    good &= both.same(
        "repeated",
        [&] {
          doubled<<<3, 32>>>(in, middle, n);
          twice<<<2, 32>>>(middle, x, n);
        },
        [&] {
          repeated::doubled_twice::Launch launch{};
          launch.grid = 2;
          launch.arguments = {in, n, x};
          require(repeated::launch(launch), "repeated");
        });
  }
  return good ? 0 : 1;
}
