// Structures passed by value: from a header, from the file itself, nested, unnamed with a typedef, templates.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:fromHeader %t/kernels.cu:fromFile '%t/kernels.cu:generic<float>' --block 64 --block 64 --block 64 -o %t/fused.cu
// RUN: %FileCheck %t/kernels.cu --check-prefix=SOURCE < %t/fused.cu
// RUN: %FileCheck %t/kernels.cu --check-prefix=HEADER < %t/fused.h
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/fused.cubin %t/fused.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -c -I%t -o %t/host.o %t/host.cu

//--- shape.h
#pragma once
struct Shape {
  int width, height;
};

//--- kernels.cu
#include "shape.h"

// HEADER: #include "shape.h"
// HEADER: namespace fromFile {
// HEADER: struct Window {
// HEADER-NEXT: float weights[4];
// HEADER-NEXT: ::fromHeader_fromFile_generic::fromFile::Range range;
// HEADER-NOT: HALF_WINDOW
// HEADER: struct Options {
// HEADER: struct Arguments {
// SOURCE: #ifdef __CUDA_ARCH__
// SOURCE: struct Options

__global__ void fromHeader(float *data, Shape shape) {
  if ((int)threadIdx.x < shape.width)
    data[threadIdx.x] *= shape.height;
}

#define HALF_WINDOW 2
constexpr int MaxWindow = 2 * HALF_WINDOW;
enum class Mode { Sum, Mean };
typedef struct {
  int low, high;
} Range;
struct Window {
  float weights[2 * HALF_WINDOW];
  Range range;
};
struct Options {
  Window window;
  Mode mode;
  __host__ __device__ float scale() const { return mode == Mode::Mean ? 1.0f / MaxWindow : 1.0f; }
};

__global__ void fromFile(float *data, const Options options, Range range, Mode mode) {
  if ((int)threadIdx.x >= range.low && mode == options.mode)
    data[threadIdx.x] *= options.scale() * options.window.weights[threadIdx.x % MaxWindow];
}

template <typename T, int N = 2> struct Pack {
  T values[N];
};
template <typename T> __global__ void generic(T *data, Pack<T> pack, const Pack<Shape, 1> *shapes) {
  data[threadIdx.x] += pack.values[threadIdx.x % 2] + shapes->values[0].width;
}

//--- host.cu
// The header takes nothing away.
#include "shape.h"
#define HALF_WINDOW 128
#include "fused.h"
enum class Mode { Sum, Mean };
static_assert(HALF_WINDOW == 128, "the program's");
#include <cstdio>
int main() {
  using namespace fromHeader_fromFile_generic;
  fromFile::Options options{};
  options.mode = Mode::Mean;
  options.window.range.high = 3;
  printf("%d\n", options.mode.ofValue[0]);
  return 0;
}
