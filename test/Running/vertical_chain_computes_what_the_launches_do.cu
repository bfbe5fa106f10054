// A chain of pointwise kernels as one launch: every element is what the separate launches make of it, bit for bit, on
// sizes of no, one, odd and many elements, whatever form each kernel has, and whichever intermediates stay.
// RUN: rm -rf %t && split-file %s %t
// RUN: cd %samples/elementwise && %cufuse fuse --vertical bias.cu:addBias gelu.cu:gelu dropout.cu:dropout \
// RUN:   --link addBias.out=gelu.in --link gelu.out=dropout.in --link addBias.n=gelu.n --link gelu.n=dropout.n \
// RUN:   --dead addBias.out --dead gelu.out --block 96 --name chain -o %t/chain.cu
// RUN: cd %samples/elementwise && %cufuse fuse --vertical gelu.cu:gelu bias.cu:addBias residual.cu:addResidual \
// RUN:   silu.cu:siluMul --link gelu.out=addBias.in --link gelu.n=addBias.n --link addBias.out=addResidual.in \
// RUN:   --link addBias.n=addResidual.n --link addBias.out=siluMul.gate --link gelu.n=siluMul.n \
// RUN:   --dead gelu.out --block 64 --name tree -o %t/tree.cu
// RUN: %execute -I %S/Inputs -I %t -I %samples/elementwise %t/main.cu %t/chain.cu %t/tree.cu

//--- main.cu
#include "both.h"

#include "bias.cu"
#include "dropout.cu"
#include "gelu.cu"
#include "residual.cu"
#include "silu.cu"

#include "chain.h"
#include "tree.h"

int main() {
  constexpr int room = 1024, columns = 37, block = 96;
  const int sizes[] = {0, 1, 31, 96, 97, 999};
  Array<float> in(6 * room, 7), bias(columns, 5), other(6 * room, 9), a(6 * room), b(6 * room), c(6 * room),
      d(6 * room);
  Both chain;
  chain.output("out", c);
  bool good = chain.same(
      "chain",
      [&] {
        for (int s = 0; s < 6; ++s) {
          const int at = s * room, n = sizes[s], grid = n / block + 1;
          addBias<<<grid, block>>>(in + at, bias, a + at, n, columns);
          gelu<<<grid, block>>>(a + at, b + at, n);
          dropout<<<grid, block>>>(b + at, c + at, 0.25f, 42, n);
        }
      },
      [&] {
        for (int s = 0; s < 6; ++s) {
          const int at = s * room, n = sizes[s];
          chain::addBias_gelu_dropout::Launch launch{};
          launch.grid = dim3(s % 2 + 1, 2); // any will do
          launch.arguments.in = in + at;
          launch.arguments.bias = bias;
          launch.arguments.n = n;
          launch.arguments.columns = columns;
          launch.arguments.out = c + at;
          launch.arguments.p = 0.25f;
          launch.arguments.seed = 42;
          require(chain::launch(launch), "chain");
        }
      });
  // Of no elements, nothing is launched; what the elements are divided by must be positive.
  chain::addBias_gelu_dropout::Launch none{};
  good &= chain::launch(none) == cudaSuccess;
  none.arguments.n = 1;
  good &= chain::launch(none) == cudaErrorInvalidConfiguration;

  Both tree;
  tree.output("biased", b), tree.output("residual", c), tree.output("gated", d);
  good &= tree.same(
      "tree",
      [&] {
        for (int s = 0; s < 6; ++s) {
          const int at = s * room, n = sizes[s], grid = n / 64 + 1;
          gelu<<<2, 64>>>(in + at, a + at, n);
          addBias<<<grid, 64>>>(a + at, bias, b + at, n, columns);
          addResidual<<<grid, 64>>>(b + at, other + at, c + at, n);
          siluMul<<<grid, 64>>>(b + at, other + at, d + at, n);
        }
      },
      [&] {
        for (int s = 0; s < 6; ++s) {
          const int at = s * room;
          tree::gelu_addBias_addResidual_siluMul::Launch launch{};
          launch.grid = 2;
          launch.arguments.in = in + at;
          launch.arguments.n = sizes[s];
          launch.arguments.bias = bias;
          launch.arguments.columns = columns;
          launch.arguments.addBias_out = b + at;
          launch.arguments.residual = other + at;
          launch.arguments.addResidual_out = c + at;
          launch.arguments.up = other + at;
          launch.arguments.siluMul_out = d + at;
          require(tree::launch(launch), "tree");
        }
      });
  return good ? 0 : 1;
}
