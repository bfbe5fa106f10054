// A producer that is no function of an element stores four at once: its consumer takes each of them, and memory, too.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical a.cu:quads a.cu:shift --link quads.out=shift.in --link quads.n=shift.n --block 32 \
// RUN:   --name live -o live.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/live.cu

//--- a.cu
__global__ void quads(const float *__restrict__ x, float *__restrict__ out, int n) {
  __shared__ float4 part[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 *const vectors = reinterpret_cast<float4 *>(out);
  part[threadIdx.x] = i < n ? make_float4(x[i], x[i] + 1, x[i] + 2, x[i] + 3) : make_float4(0, 0, 0, 0);
  __syncthreads();
  if (i < n)
    __stcs(vectors + i, part[threadIdx.x]);
}
__global__ void shift(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4 * n)
    out[i] = in[i] * 2 + i;
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "live.h"

int main() {
  bool good = true;
  Array<float> x(100, 7), mid(400), out(400);
  for (int n : {1, 32, 99}) {
    Both live;
    live.output("intermediate", mid), live.output("out", out);
    good &= live.same(
        "vectors",
        [&] {
          quads<<<n / 32 + 1, 32>>>(x, mid, n);
          shift<<<n / 8 + 1, 32>>>(mid, out, n);
        },
        [&] {
          live::quads_shift::Launch launch{};
          launch.grid = n / 32 + 1;
          launch.arguments = {x, mid, n, out};
          require(live::launch(launch), "live");
        });
  }
  return good ? 0 : 1;
}
