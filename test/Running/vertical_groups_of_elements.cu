// Kernels that take several elements at a time, by vectors with a tail, fused with each other and with kernels that take
// one, at any number of elements and with pointers that are aligned or not; the fuser raises the width of scalar ones.
// RUN: rm -rf %t && mkdir %t && split-file %s %t && cd %samples/elementwise
// RUN: %cufuse fuse --vertical half8.cu:addBiasHalf8 half8.cu:geluHalf8 half8.cu:dropoutHalf8 half8.cu:addResidualHalf8 \
// RUN:   --link addBiasHalf8.out=geluHalf8.in --link geluHalf8.out=dropoutHalf8.in \
// RUN:   --link dropoutHalf8.out=addResidualHalf8.x --link addBiasHalf8.n=geluHalf8.n --link addBiasHalf8.n=dropoutHalf8.n \
// RUN:   --link addBiasHalf8.n=addResidualHalf8.n --dead addBiasHalf8.out --dead geluHalf8.out --block 64 --name halves \
// RUN:   -o %t/halves.cu
// RUN: %cufuse fuse --vertical float4.cu:scaleFloat4 bias.cu:addBias float4.cu:scaleFloat4 residual.cu:addResidual \
// RUN:   --link scaleFloat4_0.out=addBias.in --link addBias.out=scaleFloat4_1.in --link scaleFloat4_1.out=addResidual.in \
// RUN:   --link scaleFloat4_0.n=addBias.n --link scaleFloat4_0.n=scaleFloat4_1.n --link scaleFloat4_0.n=addResidual.n \
// RUN:   --dead scaleFloat4_0.out --dead scaleFloat4_1.out --vectorize 8 --block 32 --name widths -o %t/widths.cu
// RUN: %cufuse fuse --vertical float4.cu:siluMulFloat4 float4.cu:addResidualFloat4 \
// RUN:   --link siluMulFloat4.out=addResidualFloat4.in --link siluMulFloat4.n=addResidualFloat4.n \
// RUN:   --dead siluMulFloat4.out --block 32 --name whole -o %t/whole.cu
// RUN: %cufuse fuse --vertical bias.cu:addBias gelu.cu:gelu dropout.cu:dropout --link addBias.out=gelu.in \
// RUN:   --link gelu.out=dropout.in --link addBias.n=gelu.n --link gelu.n=dropout.n --dead addBias.out --dead gelu.out \
// RUN:   --vectorize 4 --block 64 --name raised -o %t/raised.cu
// RUN: %execute -I %S/Inputs -I %t -I %samples/elementwise %t/main.cu %t/halves.cu %t/widths.cu %t/whole.cu %t/raised.cu

//--- main.cu
#include "both.h"

#include "bias.cu"
#include "dropout.cu"
#include "float4.cu"
#include "gelu.cu"
#include "half8.cu"
#include "residual.cu"

#include "halves.h"
#include "raised.h"
#include "whole.h"
#include "widths.h"

int main() {
  constexpr int room = 1024;
  const int sizes[] = {0, 1, 7, 8, 9, 512, 515, 999};
  bool good = true;
  Array<__half> in(room, 7), bias(40, 5), other(room, 9), a(room), b(room), c(room);
  Array<float> x(room + 1, 7), y(room + 1, 11), addend(37, 5), p(room), q(room), r(room + 1), s(room);
  for (int n : sizes) {
    const int groups = n / 8 / 64 + 1, blocks = n / 64 + 1;
    Both halves;
    halves.output("residual stream", c);
    good &= halves.same(
        "halves",
        [&] {
          addBiasHalf8<<<groups, 64>>>(in, bias, a, n, 40);
          geluHalf8<<<1, 64>>>(a, b, n);
          dropoutHalf8<<<groups, 64>>>(b, c, 0.25f, 42, n);
          addResidualHalf8<<<groups, 64>>>(c, other, n);
        },
        [&] {
          halves::addBiasHalf8_to_addResidualHalf8::Launch launch{};
          launch.grid = 1;
          launch.arguments = {in, bias, n, 40, c, 0.25f, 42, other};
          require(halves::launch(launch), "halves");
        }, n == 0);
    for (int shift = 0; shift < 2; ++shift) { // by which pointers are not aligned
      Both widths;
      widths.output("biased", p), widths.output("sum", r);
      good &= widths.same(
          "widths",
          [&] {
            if (shift) { // the kernel itself needs alignment
              cudaMemcpy(s, x + 1, n * sizeof(float), cudaMemcpyDeviceToDevice);
              scaleFloat4<<<2, 32>>>(s, q, 0.5f, n);
            } else {
              scaleFloat4<<<2, 32>>>(x, q, 0.5f, n);
            }
            addBias<<<blocks, 64>>>(q, addend, p, n, 37);
            scaleFloat4<<<1, 32>>>(p, q, 3.0f, n);
            addResidual<<<blocks, 64>>>(q, y + shift, r + shift, n);
          },
          [&] {
            widths::scaleFloat4_to_addResidual::Launch launch{};
            launch.grid = 2;
            launch.arguments = {x + shift, 0.5f, n, addend, p, 37, 3.0f, y + shift, r + shift};
            require(widths::launch(launch), "widths");
          }, n == 0);
      Both raised;
      raised.output("out", r);
      good &= raised.same(
          "raised",
          [&] {
            addBias<<<blocks, 64>>>(x + shift, addend, p, n, 37);
            gelu<<<1, 64>>>(p, q, n);
            dropout<<<blocks, 64>>>(q, r + shift, 0.25f, 7, n);
          },
          [&] {
            raised::addBias_gelu_dropout::Launch launch{};
            launch.grid = n / 4 / 64 + 1;
            launch.arguments = {x + shift, addend, n, 37, r + shift, 0.25f, 7};
            require(raised::launch(launch), "raised");
          }, n == 0);
    }
    Both whole;
    whole.output("out", s);
    good &= whole.same(
        "whole",
        [&] {
          siluMulFloat4<<<blocks, 32>>>(x, y, q, n);
          addResidualFloat4<<<1, 32>>>(q, x, s, n);
        },
        [&] {
          whole::siluMulFloat4_addResidualFloat4::Launch launch{};
          launch.grid = 2;
          launch.arguments = {x, y, n, x, s};
          require(whole::launch(launch), "whole");
          launch.arguments.residual = x + 1; // its kernels have no other way than by vectors
          good &= whole::launch(launch) == (n < 4 ? cudaSuccess : cudaErrorInvalidConfiguration);
        }, n < 4);
  }
  return good ? 0 : 1;
}
