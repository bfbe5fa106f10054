// One kernel has all blocks of the grid, also as several copies that share each of them.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/steps.cu:reverse --block 32 --geometry blocks --copies 2 --name once -o %t/once.cu
// RUN: %cufuse fuse %t/steps.cu:reverse --block 32 --geometry blocks --copies 2 --grid-policy stride --name strided -o %t/strided.cu
// RUN: %cufuse fuse %t/steps.cu:reverse --block 32 --geometry blocks --copies 2 --grid-policy pool --name pooled -o %t/pooled.cu
// RUN: %execute -D SAMPLE_NO_MAIN -I %S/Inputs -I %t -I %samples/elementwise %t/main.cu %t/once.cu %t/strided.cu %t/pooled.cu

//--- steps.cu
__global__ void reverse(float *out, const float *in) {
  __shared__ float s[32];
  s[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
}

//--- main.cu
#include "both.h"

#include "steps.cu"

#include "once.h"
#include "pooled.h"
#include "strided.h"

int main() {
  bool good = true;
  for (const int blocks : {1, 2, 7}) {
    Array<float> in(32 * blocks, 5), out(32 * blocks, 7);
    Both both;
    both.output("out", out);
    auto apart = [&] { reverse<<<blocks, 32>>>(out, in); };
    auto fused = [&](auto launch, auto start) {
      launch.grid = dim3(blocks);
      launch.arguments.out = out, launch.arguments.in = in;
      require(start(launch), "one kernel");
    };
    good &= both.same("once", apart, [&] { fused(once::reverse::Launch{}, [](auto &l) { return once::launch(l); }); });
    good &= both.same("strided", apart,
                      [&] { fused(strided::reverse::Launch{}, [](auto &l) { return strided::launch(l); }); });
    good &=
        both.same("pooled", apart, [&] { fused(pooled::reverse::Launch{}, [](auto &l) { return pooled::launch(l); }); });
  }
  return good ? 0 : 1;
}
