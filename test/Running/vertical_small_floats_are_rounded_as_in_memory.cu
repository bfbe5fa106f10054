// Intermediates of 16 bits are rounded as they would be in memory, wherever they are kept: chains of pointwise kernels by
// vectors of eight, and row kernels with rows in registers, or too long for them, compute in halves and bfloat16 what the
// separate launches do, bit for bit, for sizes of no, one, odd and many elements.
// RUN: rm -rf %t && split-file %s %t
// RUN: sh %t/fuse.sh %cufuse %samples/rows %t __half Half && sh %t/fuse.sh %cufuse %samples/rows %t __nv_bfloat16 Bfloat16
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I %t -I %samples/rows -I %samples/elementwise %t/main.cu \
// RUN:   %t/chainHalf.cu %t/normHalf.cu %t/vectorsHalf.cu %t/unitHalf.cu %t/sharesHalf.cu %t/bytesHalf.cu \
// RUN:   %t/chainBfloat16.cu %t/normBfloat16.cu %t/vectorsBfloat16.cu %t/unitBfloat16.cu %t/sharesBfloat16.cu %t/bytesBfloat16.cu

//--- fuse.sh
set -e
cd $2
E=../elementwise/templates.cu
$1 fuse --vertical "$E:addBiasOf<$4>" "$E:geluOf<$4>" "$E:dropoutOf<$4>" "$E:addResidualOf<$4>" "$E:siluMulOf<$4>" \
  --link addBiasOf.out=geluOf.in --link geluOf.out=dropoutOf.in --link dropoutOf.out=addResidualOf.x \
  --link addResidualOf.x=siluMulOf.gate --link addBiasOf.n=geluOf.n --link addBiasOf.n=dropoutOf.n \
  --link addBiasOf.n=addResidualOf.n --link addBiasOf.n=siluMulOf.n --dead addBiasOf.out --dead geluOf.out \
  --block 64 --vectorize 8 --name chain$5 -o $3/chain$5.cu
norm() { # SPACE LENGTH TYPE
  for kernel in rowMean rowVariance normalise scaleRow shiftRow; do echo "$1$kernel<$3>"; done
  for link in rowMean.x=rowVariance.x rowMean.x=normalise.x rowMean.mean=rowVariance.mean rowMean.mean=normalise.mean \
    rowVariance.variance=normalise.variance normalise.out=scaleRow.in scaleRow.out=shiftRow.in rowMean.$2=rowVariance.$2 \
    rowMean.$2=normalise.$2 rowMean.$2=scaleRow.$2 rowMean.$2=shiftRow.$2; do echo --link $link; done
  for dead in rowMean.mean rowVariance.variance normalise.out scaleRow.out; do echo --dead $dead; done
}
$1 fuse --vertical $(norm layernorm.cu: columns $4) --block 32 --name norm$5 -o $3/norm$5.cu
$1 fuse --vertical $(norm layernorm_vectors.cu:vectors:: row $4) --block 32 --name vectors$5 -o $3/vectors$5.cu
$1 fuse --vertical "l2norm.cu:square<$4>" "l2norm.cu:rowSum<$4>" "l2norm.cu:divideRow<$4>" --link square.out=rowSum.in \
  --link rowSum.sum=divideRow.sum --link square.x=divideRow.x --link rowSum.columns=divideRow.columns \
  --dead square.out --dead rowSum.sum --block 32 --name unit$5 -o $3/unit$5.cu
$1 fuse --vertical "softmax.cu:exponentials<$4>" "softmax.cu:toShares<$4>" "$E:dropoutOf<$4>" \
  --link exponentials.out=toShares.in --link toShares.out=dropoutOf.in --link exponentials.columns=toShares.columns \
  --dead exponentials.out --dead toShares.out --block 32 --name shares$5 -o $3/shares$5.cu
$1 fuse --vertical "quantise.cu:rmsNormRow<$4>" "quantise.cu:quantiseRow<$4>" --link rmsNormRow.out=quantiseRow.in \
  --link rmsNormRow.columns=quantiseRow.columns --dead rmsNormRow.out --block 32 --name bytes$5 -o $3/bytes$5.cu

//--- main.cu
#include "both.h"

#include "l2norm.cu"
#include "layernorm.cu"
#include "layernorm_vectors.cu"
#include "quantise.cu"
#include "softmax.cu"
#include "templates.cu"

#include "bytesBfloat16.h"
#include "bytesHalf.h"
#include "chainBfloat16.h"
#include "chainHalf.h"
#include "normBfloat16.h"
#include "normHalf.h"
#include "sharesBfloat16.h"
#include "sharesHalf.h"
#include "unitBfloat16.h"
#include "unitHalf.h"
#include "vectorsBfloat16.h"
#include "vectorsHalf.h"

constexpr int rows = 3, most = 1100; ///< Registers have room for 1024 elements.
constexpr int lengths[] = {0, 1, 31, 33, 100, 1024, most};

/// Numbers around 0, with few of them whole.
template <typename T> struct Fractions : Array<T> {
  Fractions(int count, int least, int range) : Array<T>(count, 256 * range) {
    for (T &value : this->host)
      value = static_cast<T>(static_cast<float>(value) / 256.0f + static_cast<float>(least));
    require(cudaMemcpy(this->data, this->host.data(), count * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
};

template <typename T, typename Given> bool chain(cudaError_t (*launch)(const Given &, cudaStream_t)) {
  constexpr int room = 1003, columns = 37; // every other array is not aligned
  Fractions<T> in(room + 1, -2, 4), bias(columns, -1, 2), residual(room + 1, -3, 6), a(room + 1, 0, 1), b(room + 1, 0, 1),
      x(room + 1, 0, 1), y(room + 1, 0, 1);
  bool good = true;
  for (int offset : {0, 1})
    for (int n : {0, 1, 7, 8, 9, 999, room}) {
      Both both;
      both.output("stream", x), both.output("y", y);
      good &= both.same(
          "chain",
          [&] {
            const int grid = n / 64 + 1;
            addBiasOf<T><<<grid, 64>>>(in + offset, bias, a, n, columns);
            geluOf<T><<<2, 64>>>(a, b, n);
            dropoutOf<T><<<grid, 64>>>(b, x, 0.25f, 3, n);
            addResidualOf<T><<<grid, 64>>>(x, residual + offset, n);
            siluMulOf<T><<<grid, 64>>>(x, in + offset, y, n);
          },
          [&] {
            Given given{};
            given.grid = 2;
            auto &arguments = given.arguments;
            arguments.in = in + offset, arguments.bias = bias, arguments.n = n;
            arguments.columns = columns;
            arguments.dropoutOf_out = x, arguments.p = 0.25f, arguments.seed = 3;
            arguments.residual = residual + offset;
            arguments.up = in + offset, arguments.out = y;
            require(launch(given, nullptr), "chain");
          },
          n == 0);
    }
  return good;
}

template <typename T, typename Given> bool layerNorm(cudaError_t (*launch)(const Given &, cudaStream_t)) {
  Fractions<T> x(rows * most, -3, 8), weight(most, -1, 3), bias(most, -2, 4), a(rows * most, 0, 1), b(rows * most, 0, 1),
      y(rows * most, 0, 1);
  Array<float> mean(rows), variance(rows);
  bool good = true;
  for (int columns : lengths) {
    Both both;
    both.output("y", y);
    good &= both.same(
        "LayerNorm",
        [&] {
          rowMean<T><<<rows, 32>>>(x, mean, columns);
          rowVariance<T><<<rows, 32>>>(x, mean, variance, columns);
          normalise<T><<<rows, 32>>>(x, mean, variance, a, columns, 1e-5f);
          scaleRow<T><<<rows, 32>>>(a, weight, b, columns);
          shiftRow<T><<<rows, 32>>>(b, bias, y, columns);
        },
        [&] {
          Given given{};
          given.grid = rows;
          auto &arguments = given.arguments;
          arguments.x = x, arguments.columns = columns;
          arguments.epsilon = 1e-5f, arguments.normalise_out = columns <= 1024 ? nullptr : a.data;
          arguments.weight = weight, arguments.scaleRow_out = columns <= 1024 ? nullptr : b.data;
          arguments.bias = bias, arguments.out = y;
          require(launch(given, nullptr), "LayerNorm");
        },
        columns == 0);
  }
  return good;
}

/// Rows of whole vectors: of none, some, as many as registers have room for, and more.
template <typename T, typename Given> bool layerNormOfVectors(cudaError_t (*launch)(const Given &, cudaStream_t)) {
  using V = Vector<T>;
  constexpr int room = 32 * 32, longest = (room + 5) * V::size;
  Fractions<T> x(rows * longest, -3, 8), weight(longest, -1, 3), bias(longest, -2, 4), a(rows * longest, 0, 1),
      b(rows * longest, 0, 1), y(rows * longest, 0, 1);
  auto of = [](Fractions<T> &array) { return reinterpret_cast<V *>(array.data); };
  Array<float> mean(rows), variance(rows);
  bool good = true;
  for (int row : {0, 1, 31, 32, 100, room, room + 5}) {
    Both both;
    both.output("y", y);
    good &= both.same(
        "LayerNorm of vectors",
        [&] {
          vectors::rowMean<T><<<rows, 32>>>(of(x), mean, row);
          vectors::rowVariance<T><<<rows, 32>>>(of(x), mean, variance, row);
          vectors::normalise<T><<<rows, 32>>>(of(x), mean, variance, of(a), row, 1e-5f);
          vectors::scaleRow<T><<<rows, 32>>>(of(a), of(weight), of(b), row);
          vectors::shiftRow<T><<<rows, 32>>>(of(b), of(bias), of(y), row);
        },
        [&] {
          Given given{};
          given.grid = rows;
          auto &arguments = given.arguments;
          arguments.x = of(x), arguments.rowMean_row = row;
          arguments.epsilon = 1e-5f, arguments.normalise_out = row <= room ? nullptr : of(a);
          arguments.weight = of(weight), arguments.scaleRow_out = row <= room ? nullptr : of(b);
          arguments.bias = of(bias), arguments.out = of(y);
          require(launch(given, nullptr), "LayerNorm of vectors");
        },
        row == 0);
  }
  return good;
}

template <typename T, typename Given> bool unitLength(cudaError_t (*launch)(const Given &, cudaStream_t)) {
  Fractions<T> x(rows * most, -4, 9), a(rows * most, 0, 1), y(rows * most, 0, 1);
  Array<float> sum(rows);
  bool good = true;
  for (int columns : lengths) {
    const int n = rows * columns;
    Both both;
    both.output("y", y);
    good &= both.same(
        "L2 norm",
        [&] {
          square<T><<<n / 32 + 1, 32>>>(x, a, n);
          rowSum<T><<<rows, 32>>>(a, sum, columns);
          divideRow<T><<<rows, 32>>>(x, sum, y, columns, 1e-9f);
        },
        [&] {
          Given given{};
          given.grid = rows;
          auto &arguments = given.arguments;
          arguments.x = x, arguments.square_out = columns <= 1024 ? nullptr : a.data, arguments.n = n;
          arguments.columns = columns;
          arguments.out = y, arguments.least = 1e-9f;
          require(launch(given, nullptr), "L2 norm");
        },
        columns == 0);
  }
  return good;
}

template <typename T, typename Given> bool softmax(cudaError_t (*launch)(const Given &, cudaStream_t)) {
  Fractions<T> scores(rows * most, -6, 11), a(rows * most, 0, 1), b(rows * most, 0, 1), y(rows * most, 0, 1);
  bool good = true;
  for (int columns : lengths) {
    const int n = rows * columns;
    Both both;
    both.output("y", y);
    good &= both.same(
        "softmax",
        [&] {
          exponentials<T><<<rows, 32>>>(scores, a, columns);
          toShares<T><<<rows, 32>>>(a, b, columns);
          dropoutOf<T><<<n / 32 + 1, 32>>>(b, y, 0.25f, 5, n);
        },
        [&] {
          Given given{};
          given.grid = rows;
          auto &arguments = given.arguments;
          arguments.scores = scores, arguments.columns = columns;
          arguments.exponentials_out = columns <= 1024 ? nullptr : a.data;
          arguments.toShares_out = columns <= 1024 ? nullptr : b.data;
          arguments.out = y, arguments.p = 0.25f, arguments.seed = 5;
          arguments.n = n;
          require(launch(given, nullptr), "softmax");
        },
        columns == 0);
  }
  return good;
}

template <typename T, typename Given> bool quantised(cudaError_t (*launch)(const Given &, cudaStream_t)) {
  Fractions<T> x(rows * most, -5, 9), weight(most, -1, 3), a(rows * most, 0, 1);
  Array<std::int8_t> y(rows * most, 100);
  Array<float> scale(rows);
  bool good = true;
  for (int columns : lengths) {
    Both both;
    both.output("quantised", y), both.output("scale", scale);
    good &= both.same(
        "int8",
        [&] {
          rmsNormRow<T><<<rows, 32>>>(x, weight, a, columns, 1e-6f);
          quantiseRow<T><<<rows, 32>>>(a, y, scale, columns);
        },
        [&] {
          Given given{};
          given.grid = rows;
          auto &arguments = given.arguments;
          arguments.x = x, arguments.weight = weight, arguments.columns = columns;
          arguments.rmsNormRow_out = columns <= 1024 ? nullptr : a.data, arguments.epsilon = 1e-6f;
          arguments.out = y, arguments.scale = scale;
          require(launch(given, nullptr), "int8");
        });
  }
  return good;
}

int main() {
  bool good = chain<__half>(chainHalf::launch) && chain<__nv_bfloat16>(chainBfloat16::launch);
  good &= layerNorm<__half>(normHalf::launch) && layerNorm<__nv_bfloat16>(normBfloat16::launch);
  good &= layerNormOfVectors<__half>(vectorsHalf::launch) && layerNormOfVectors<__nv_bfloat16>(vectorsBfloat16::launch);
  good &= unitLength<__half>(unitHalf::launch) && unitLength<__nv_bfloat16>(unitBfloat16::launch);
  good &= softmax<__half>(sharesHalf::launch) && softmax<__nv_bfloat16>(sharesBfloat16::launch);
  good &= quantised<__half>(bytesHalf::launch) && quantised<__nv_bfloat16>(bytesBfloat16::launch);
  return good ? 0 : 1;
}
