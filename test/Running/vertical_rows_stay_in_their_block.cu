// Row kernels as one launch: every element is what the separate launches make of it, bit for bit, for rows of one, odd,
// whole and many elements, and rows that are too long for registers. Pointwise kernels take part at either end.
// RUN: rm -rf %t && split-file %s %t && sh %t/fuse.sh %cufuse %samples/rows %t float floats
// RUN: sh %t/fuse.sh %cufuse %samples/rows %t __half halves --evict-last
// RUN: cd %samples/rows && %cufuse fuse --vertical 'l2norm.cu:square<float>' 'l2norm.cu:rowSum<float>' 'l2norm.cu:divideRow<float>' \
// RUN:   --link square.out=rowSum.in --link rowSum.sum=divideRow.sum --link square.x=divideRow.x \
// RUN:   --link rowSum.columns=divideRow.columns --dead square.out --block 64 --evict-last --name unit -o %t/unit.cu
// RUN: cd %samples/rows && %cufuse fuse --vertical 'quantise.cu:rmsNormRow<__half>' 'quantise.cu:quantiseRow<__half>' \
// RUN:   --link rmsNormRow.out=quantiseRow.in --link rmsNormRow.columns=quantiseRow.columns \
// RUN:   --block 64 --name bytes -o %t/bytes.cu
// RUN: cd %samples/rows && %cufuse fuse --vertical 'softmax.cu:exponentials<float>' 'softmax.cu:toShares<float>' \
// RUN:   ../elementwise/dropout.cu:dropout --link exponentials.out=toShares.in --link toShares.out=dropout.in \
// RUN:   --link exponentials.columns=toShares.columns --dead exponentials.out --block 32 --name shares -o %t/shares.cu
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I %t -I %samples/rows -I %samples/elementwise %t/main.cu %t/floats.cu %t/halves.cu %t/unit.cu \
// RUN:   %t/bytes.cu %t/shares.cu

//--- fuse.sh
cd $2 && $1 fuse --vertical "layernorm.cu:rowMean<$4>" "layernorm.cu:rowVariance<$4>" "layernorm.cu:normalise<$4>" \
  "layernorm.cu:scaleRow<$4>" "layernorm.cu:shiftRow<$4>" --link rowMean.x=rowVariance.x --link rowMean.x=normalise.x \
  --link rowMean.mean=rowVariance.mean --link rowMean.mean=normalise.mean --link rowVariance.variance=normalise.variance \
  --link normalise.out=scaleRow.in --link scaleRow.out=shiftRow.in --link rowMean.columns=rowVariance.columns \
  --link rowMean.columns=normalise.columns --link rowMean.columns=scaleRow.columns \
  --link rowMean.columns=shiftRow.columns --dead rowMean.mean --dead normalise.out --dead scaleRow.out \
  --block 32 --name $5 $6 -o $3/$5.cu

//--- main.cu
#include "both.h"

#include "dropout.cu"
#include "l2norm.cu"
#include "layernorm.cu"
#include "quantise.cu"
#include "softmax.cu"

#include "bytes.h"
#include "halves.h"
#include "floats.h"
#include "shares.h"
#include "unit.h"

constexpr int rows = 3, most = 2500;
constexpr int lengths[] = {1, 5, 32, 33, 64, 100, 1000, 1024, 1100, 2048, most};

/// `Given` is the structure of one launch, `launch` the function for it.
template <typename T, typename Given, typename Launch> bool layerNorm(const char *name, Launch launch) {
  Array<T> x(rows * most, 50), weight(most, 5), bias(most, 7), a(rows * most), b(rows * most), y(rows * most);
  Array<float> mean(rows), variance(rows);
  bool good = true;
  Given given{};
  given.grid = rows;
  given.arguments.x = x;
  given.arguments.variance = variance;
  given.arguments.epsilon = 1e-5f;
  given.arguments.weight = weight;
  given.arguments.scaleRow_out = b;
  given.arguments.bias = bias;
  given.arguments.out = y;
  for (int columns : lengths) {
    Both both;
    both.output("y", y), both.output("variance", variance);
    good &= both.same(
        name,
        [&] {
          rowMean<T><<<rows, 32>>>(x, mean, columns);
          rowVariance<T><<<rows, 32>>>(x, mean, variance, columns);
          normalise<T><<<rows, 32>>>(x, mean, variance, a, columns, 1e-5f);
          scaleRow<T><<<rows, 32>>>(a, weight, b, columns);
          shiftRow<T><<<rows, 32>>>(b, bias, y, columns);
        },
        [&] {
          given.arguments.columns = columns;
          given.arguments.normalise_out = columns <= 1024 ? nullptr : a.data;
          require(launch(given, nullptr), name);
        });
  }
  // There is no memory for a row that is too long.
  given.arguments.normalise_out = nullptr;
  return good && launch(given, nullptr) == cudaErrorInvalidConfiguration;
}

bool unitLength() {
  Array<float> x(rows * most, 50), a(rows * most), sum(rows), y(rows * most);
  bool good = true;
  for (int columns : lengths) {
    const int n = rows * columns;
    unit::square_rowSum_divideRow::Launch given{};
    given.grid = rows;
    given.arguments.x = x;
    given.arguments.square_out = a;
    given.arguments.n = n;
    given.arguments.columns = columns;
    given.arguments.sum = sum;
    given.arguments.out = y;
    given.arguments.least = 1e-9f;
    Both both;
    both.output("sum", sum), both.output("y", y);
    good &= both.same(
        "unit",
        [&] {
          square<float><<<n / 64 + 1, 64>>>(x, a, n);
          rowSum<float><<<rows, 64>>>(a, sum, columns);
          divideRow<float><<<rows, 64>>>(x, sum, y, columns, 1e-9f);
        },
        [&] { require(unit::launch(given), "unit"); });
    // Elements beyond the rows would be left out, or rows would have too few.
    given.arguments.n = n + 1;
    good &= unit::launch(given) == cudaErrorInvalidConfiguration;
  }
  return good;
}

bool quantised() {
  Array<__half> x(rows * most, 50), weight(most, 5), a(rows * most);
  Array<std::int8_t> y(rows * most, 100);
  Array<float> scale(rows);
  bool good = true;
  for (int columns : lengths) {
    bytes::rmsNormRow_quantiseRow::Launch given{};
    given.grid = rows;
    given.arguments.x = x;
    given.arguments.weight = weight;
    given.arguments.rmsNormRow_out = a;
    given.arguments.columns = columns;
    given.arguments.epsilon = 1e-6f;
    given.arguments.quantiseRow_out = y;
    given.arguments.scale = scale;
    Both both;
    both.output("normalised", a), both.output("quantised", y), both.output("scale", scale);
    good &= both.same(
        "bytes",
        [&] {
          rmsNormRow<__half><<<rows, 64>>>(x, weight, a, columns, 1e-6f);
          quantiseRow<__half><<<rows, 64>>>(a, y, scale, columns);
        },
        [&] { require(bytes::launch(given), "bytes"); });
  }
  return good;
}

bool softmax() {
  Array<float> scores(rows * most, 20), a(rows * most), b(rows * most), y(rows * most);
  bool good = true;
  for (int columns : lengths) {
    const int n = rows * columns;
    shares::exponentials_toShares_dropout::Launch given{};
    given.grid = rows;
    given.arguments.scores = scores;
    given.arguments.exponentials_out = a;
    given.arguments.columns = columns;
    given.arguments.toShares_out = b;
    given.arguments.dropout_out = y;
    given.arguments.p = 0.25f;
    given.arguments.seed = 5;
    given.arguments.n = n;
    Both both;
    both.output("shares", b), both.output("y", y);
    good &= both.same(
        "shares",
        [&] {
          exponentials<float><<<rows, 32>>>(scores, a, columns);
          toShares<float><<<rows, 32>>>(a, b, columns);
          dropout<<<n / 32 + 1, 32>>>(b, y, 0.25f, 5, n);
        },
        [&] { require(shares::launch(given), "shares"); });
  }
  return good;
}

int main() {
  bool good = layerNorm<float, floats::rowMean_to_shiftRow::Launch>("float", floats::launch);
  good &= layerNorm<__half, halves::rowMean_to_shiftRow::Launch>("half", halves::launch);
  good &= unitLength();
  good &= quantised();
  good &= softmax();
  return good ? 0 : 1;
}
