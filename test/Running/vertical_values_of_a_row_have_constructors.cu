// A value of the row may be of a type whose constructor gives it a value: variables in shared memory have none, and the
// first thread stores it anyway.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:range kernels.cu:shift --link range.out=shift.of --link range.x=shift.x \
// RUN:   --link range.columns=shift.columns --dead range.out --block 64 --name rows -o %t/rows.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/rows.cu

//--- range.h
#pragma once
struct alignas(8) Range {
  float least = 1e30f, most = -1e30f;
};

//--- kernels.cu
#include "range.h"

__global__ void range(const float *__restrict__ x, Range *__restrict__ out, int columns) {
  __shared__ float parts[64];
  float least = 1e30f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    least = fminf(least, x[blockIdx.x * columns + i]);
  parts[threadIdx.x] = least;
  __syncthreads();
  if (threadIdx.x == 0) {
    Range all;
    for (int i = 0; i < 64; ++i)
      all.least = fminf(all.least, parts[i]), all.most = fmaxf(all.most, parts[i]);
    out[blockIdx.x] = all;
  }
}
__global__ void shift(const float *__restrict__ x, const Range *__restrict__ of, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const Range own = of[blockIdx.x];
    out[blockIdx.x * columns + i] = (x[blockIdx.x * columns + i] - own.least) * own.most;
  }
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "rows.h"

int main() {
  constexpr int rowCount = 3, columns = 200;
  Array<float> x(rowCount * columns), y(rowCount * columns);
  Array<int> middle(rowCount * 2);
  rows::range_shift::Launch given{};
  given.grid = rowCount;
  given.arguments.x = x, given.arguments.columns = columns, given.arguments.out = y;
  Range *const ranges = reinterpret_cast<Range *>(middle.data);
  Both both;
  both.output("y", y);
  return both.same(
             "rows",
             [&] {
               range<<<rowCount, 64>>>(x, ranges, columns);
               shift<<<rowCount, 64>>>(x, ranges, y, columns);
             },
             [&] { require(rows::launch(given, nullptr), "rows"); })
             ? 0
             : 1;
}
