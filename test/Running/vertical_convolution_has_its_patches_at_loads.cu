// A convolution, from the matrix of patches to ReLU, as one kernel: patches are computed where the product loads them, with
// strides and padding, for sizes that are no multiples of the tiles.
// RUN: rm -rf %t && split-file %s %t && cd %samples/convolution
// RUN: %cufuse fuse --distinct --vertical 'convolution.cu:unfold<3>' convolution.cu:multiply convolution.cu:biasRelu \
// RUN:   --link unfold.patches=multiply.b --link multiply.n=unfold.pixels --link 'multiply.k*n=unfold.n' \
// RUN:   --link multiply.c=biasRelu.in --link multiply.n=biasRelu.pixels --link 'multiply.m*n=biasRelu.n' \
// RUN:   --dead unfold.patches --dead multiply.c --block multiply=16x16 --recompute 2 --name layer -o %t/layer.cu
// RUN: %cufuse fuse --distinct --vertical 'convolution.cu:unfold<2>' convolution.cu:multiply --link unfold.patches=multiply.b \
// RUN:   --link multiply.n=unfold.pixels --link 'multiply.k*n=unfold.n' --dead unfold.patches --block multiply=16x16 \
// RUN:   --name even -o %t/even.cu
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I %t -I %samples/convolution %t/main.cu %t/layer.cu %t/even.cu

//--- main.cu
#include "both.h"

#include <algorithm>

#include "convolution.cu"

#include "even.h"
#include "layer.h"

struct Shape {
  int channels, height, width, size, stride, padding, filters;
  int outHeight() const { return (height + 2 * padding - size) / stride + 1; }
  int outWidth() const { return (width + 2 * padding - size) / stride + 1; }
  int pixels() const { return outHeight() * outWidth(); }
  int depth() const { return channels * size * size; }
};

/// Computed as the definition says; the numbers are whole and small, so sums are exact.
static std::vector<float> expected(const Shape &s, const float *image, const float *weights, const float *bias) {
  std::vector<float> out;
  for (int filter = 0; filter < s.filters; ++filter)
    for (int outY = 0; outY < s.outHeight(); ++outY)
      for (int outX = 0; outX < s.outWidth(); ++outX) {
        float sum = 0;
        for (int channel = 0; channel < s.channels; ++channel)
          for (int i = 0; i < s.size; ++i)
            for (int j = 0; j < s.size; ++j) {
              const int y = outY * s.stride - s.padding + i, x = outX * s.stride - s.padding + j;
              if (y >= 0 && y < s.height && x >= 0 && x < s.width)
                sum += weights[((filter * s.channels + channel) * s.size + i) * s.size + j] *
                       image[(channel * s.height + y) * s.width + x];
            }
        out.push_back(bias ? std::max(sum + bias[filter], 0.0f) : sum);
      }
  return out;
}

static bool equal(const char *what, const float *got, const std::vector<float> &wanted) {
  std::vector<float> host(wanted.size());
  require(cudaMemcpy(host.data(), got, host.size() * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
  if (host != wanted)
    std::printf("%s: not the convolution\n", what);
  return host == wanted;
}

/// Numbers around 0.
static void centre(Array<float> &array, float by) {
  for (float &value : array.host)
    value -= by;
  require(cudaMemcpy(array.data, array.host.data(), array.host.size() * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
}

int main() {
  bool good = true;
  for (const Shape &s : {Shape{1, 1, 1, 3, 1, 1, 1}, Shape{3, 9, 13, 3, 2, 1, 5}, Shape{2, 11, 9, 3, 1, 0, 65},
                         Shape{5, 7, 10, 3, 3, 2, 128}}) {
    const int m = s.filters, n = s.pixels(), k = s.depth();
    Array<float> image(s.channels * s.height * s.width, 9), weights(m * k, 7), bias(m, 11), patches(k * n), c(m * n),
        out(m * n);
    centre(weights, 3), centre(bias, 5);
    const dim3 grid((n + 63) / 64, (m + 63) / 64);
    Both both;
    both.output("out", out);
    good &= both.same(
        "layer",
        [&] {
          unfold<3><<<k * n / 128 + 1, 128>>>(image, patches, s.height, s.width, s.stride, s.padding, s.outWidth(), n,
                                              k * n);
          multiply<<<grid, dim3(16, 16)>>>(weights, patches, c, m, n, k);
          biasRelu<<<m * n / 128 + 1, 128>>>(c, bias, out, n, m * n);
        },
        [&] {
          layer::unfold_multiply_biasRelu::Launch launch{};
          launch.grid = grid;
          // No element is beyond those that unfold makes, so there is no array of patches.
          launch.arguments = {image, nullptr, s.height, s.width, s.stride, s.padding, s.outWidth(), weights, m, n, k,
                              bias,  out};
          require(layer::launch(launch), "layer");
          launch.grid.y = 3; // more often than allowed
          if (layer::launch(launch) != cudaErrorInvalidConfiguration)
            std::exit(2);
        });
    good &= equal("layer", out, expected(s, image.host.data(), weights.host.data(), bias.host.data()));
  }
  for (const Shape &s : {Shape{1, 2, 2, 2, 1, 0, 1}, Shape{4, 8, 21, 2, 2, 1, 33}}) {
    const int m = s.filters, n = s.pixels(), k = s.depth();
    Array<float> image(s.channels * s.height * s.width, 9), weights(m * k, 7), patches(k * n), c(m * n);
    const dim3 grid((n + 63) / 64, 1);
    Both both;
    both.output("c", c);
    good &= both.same(
        "even",
        [&] {
          unfold<2><<<k * n / 128 + 1, 128>>>(image, patches, s.height, s.width, s.stride, s.padding, s.outWidth(), n,
                                              k * n);
          multiply<<<grid, dim3(16, 16)>>>(weights, patches, c, m, n, k);
        },
        [&] {
          even::unfold_multiply::Launch launch{};
          launch.grid = grid;
          launch.arguments = {image, nullptr, s.height, s.width, s.stride, s.padding, s.outWidth(), weights, c, m, n, k};
          require(even::launch(launch), "even");
        });
    good &= equal("even", c, expected(s, image.host.data(), weights.host.data(), nullptr));
  }
  return good ? 0 : 1;
}
