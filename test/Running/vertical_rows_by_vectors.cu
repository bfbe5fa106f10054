// With --reassociate, a thread has several elements of a row next to each other: in place, in grids of several dimensions,
// by moved pointers, with a step that the launch gives, and behind flat kernels. Sums of small integers are exact in any
// order, so that all results are those of the separate launches, bit for bit: of rows that are whole vectors or not, of one
// element, longer than registers are for, and at addresses that are not aligned. A warp may have a row, alone or beside
// others in its block, and kernels that take as many elements at a time go with it.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse 'kernels.cu:grow<__half>' 'kernels.cu:byNorm<__half>' --link grow.stream=byNorm.x --reassociate --block 64 \
// RUN:   --name stream -o stream.cu 2>&1 | FileCheck %s --check-prefix=STREAM
// STREAM: note: By row, 8 elements of a thread at a time: sums are taken in another order than by separate launches
// RUN: %cufuse fuse 'kernels.cu:ofView<32>' 'kernels.cu:times' --link ofView.to=times.left --link ofView.width=times.width \
// RUN:   --dead ofView.to --distinct --reassociate --block 32 --copies 4 --name view -o view.cu 2>&1 | FileCheck %s --check-prefix=VIEW
// VIEW: note: By row, 4 elements
// RUN: %cufuse fuse kernels.cu:means kernels.cu:spreads kernels.cu:centred --link means.in=spreads.in \
// RUN:   --link means.mean=spreads.mean --link means.width=spreads.width --link means.threads=spreads.threads \
// RUN:   --link means.in=centred.in --link means.mean=centred.mean --link spreads.spread=centred.spread --link means.width=centred.width --distinct --reassociate --block 64 --name flat -o flat.cu 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: %cufuse fuse kernels.cu:addEights kernels.cu:ofWarp --link addEights.sum=ofWarp.x --distinct --reassociate --block 32 \
// RUN:   --copies 3 --name eights -o eights.cu 2>&1 | FileCheck %s --check-prefix=STREAM
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I . main.cu stream.cu view.cu flat.cu eights.cu
// With sums in their order, a thread has no eight elements.
// RUN: %exits 1 %cufuse fuse kernels.cu:addEights kernels.cu:ofWarp --link addEights.sum=ofWarp.x --distinct --block 32 \
// RUN:   --in-registers -o no.cu 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: {{.*}}: addEights works on 8 elements at a time, which needs --reassociate [NotByRow]

//--- kernels.cu
#include <cuda_fp16.h>

template <typename T> __global__ void grow(T *__restrict__ stream, const T *__restrict__ more, long long count) {
  const long long at = (long long)blockDim.x * blockIdx.x + threadIdx.x;
  if (at < count)
    stream[at] += more[at];
}

template <typename T>
__global__ void byNorm(const T *__restrict__ x, int pitch, const T *__restrict__ gain, float *__restrict__ most,
                       T *__restrict__ out, int width) {
  __shared__ float parts[64], scale;
  float own = 0, largest = 0;
  for (int j = threadIdx.x; j < width; j += blockDim.x) {
    const float v = static_cast<float>(x[blockIdx.x * pitch + j]);
    own += v * v;
    if (v > largest)
      largest = v;
  }
  parts[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0;
    for (int t = 0; t < blockDim.x; ++t)
      all += parts[t];
    scale = 1 / (all + 1);
  }
  __syncthreads();
  parts[threadIdx.x] = largest;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 0; t < blockDim.x; ++t)
      largest = parts[t] > largest ? parts[t] : largest;
    most[blockIdx.x] = largest;
  }
  for (int j = threadIdx.x; j < width; j += blockDim.x) out[blockIdx.x * pitch + j] = x[blockIdx.x * pitch + j] * gain[j];
  __syncthreads();
  for (int j = threadIdx.x; j < width; j += blockDim.x)
    if (j % 2)
      out[blockIdx.x * pitch + j] = static_cast<T>(static_cast<float>(x[blockIdx.x * pitch + j]) * scale);
}

template <int threads> __global__ void ofView(const float *from, float *to, int width, int rowPitch, int planePitch) {
  from += blockIdx.y * planePitch + blockIdx.x * rowPitch;
  to += (blockIdx.y * gridDim.x + blockIdx.x) * width;
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += threads)
    sum += from[i];
  for (int reach = 16; reach > 0; reach /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, reach);
  for (int i = threadIdx.x; i < width; i += threads)
    to[i] = from[i] - sum;
}

__global__ void times(const float *left, const float *right, float *to, int width, int repeats, int pitch) {
  const int first = (blockIdx.y * gridDim.x + blockIdx.x) * width;
  left += first;
  to += first;
  right += blockIdx.x % repeats * pitch;
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    to[i] = left[i] * right[i];
}

__global__ void means(float *mean, const float *in, int width, int threads) {
  __shared__ float scratch[64];
  const int me = threadIdx.x;
  const float *row = in + blockIdx.x * width;
  float own = 0;
  for (int j = me; j < width; j += threads)
    own += row[j];
  scratch[me] = own;
  for (int half = threads >> 1; half > 0; half >>= 1) {
    __syncthreads();
    if (me < half)
      scratch[me] += scratch[half + me];
  }
  if (me == 0)
    mean[blockIdx.x] = scratch[0] / width;
}

__global__ void spreads(float *spread, const float *in, const float *mean, int width, int threads) {
  __shared__ float scratch[64];
  const float *row = in + blockIdx.x * width;
  const float centre = mean[blockIdx.x];
  float own = 0;
  for (int j = threadIdx.x; j < width; j += threads)
    own = fmaxf(own, fabsf(row[j] - centre));
  scratch[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < threads; ++t)
      own = fmaxf(own, scratch[t]);
    spread[blockIdx.x] = own;
  }
}

__global__ void centred(float *out, const float *in, const float *mean, const float *spread, const float *gain,
                        int width) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = at / width, column = at % width;
  out[at] = (in[at] - mean[row]) * spread[row] * gain[column];
}

__global__ void addEights(__half *sum, const __half *a, const __half *b, int count) {
  const int first = 8 * (blockDim.x * blockIdx.x + threadIdx.x);
  if (first >= count)
    return;
  const uint4 as = *reinterpret_cast<const uint4 *>(a + first), bs = *reinterpret_cast<const uint4 *>(b + first);
  __half of[2][8];
  memcpy(of[0], &as, sizeof as), memcpy(of[1], &bs, sizeof bs);
  for (int k = 0; k < 8; ++k)
    of[0][k] += of[1][k];
  uint4 all;
  memcpy(&all, of[0], sizeof all);
  *reinterpret_cast<uint4 *>(sum + first) = all;
}

__global__ void ofWarp(const __half *__restrict__ x, const __half *__restrict__ gain, float *__restrict__ total,
                       __half *__restrict__ out, int rows, int width) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows)
    return;
  float sum = 0;
  for (int j = lane; j < width; j += 32)
    sum += static_cast<float>(x[row * width + j]);
  for (int reach = 16; reach > 0; reach /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, reach);
  if (lane == 0)
    __stcs(total + row, sum);
  for (int j = lane; j < width; j += 32)
    out[row * width + j] = static_cast<__half>(static_cast<float>(x[row * width + j] * gain[j]) - sum);
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "eights.h"
#include "flat.h"
#include "stream.h"
#include "view.h"

constexpr int lengths[] = {1, 8, 30, 64, 384, 504, 512, 520, 640, 1024, 1200, 1600, 1792, 2048, 2056, 4096};
constexpr int rows = 3, most = 4096;

bool streams(int shift) {
  using T = __half;
  Array<T> x(rows * most + 8, 7), more(rows * most + 8, 5), gain(most + 8, 4), out(rows * most + 8, 9);
  Array<float> largest(rows);
  bool good = true;
  for (int width : lengths) {
    Both both;
    both.output("x", x), both.output("out", out), both.output("largest", largest);
    good &= both.same(
        "stream",
        [&] {
          grow<T><<<rows * width / 64 + 1, 64>>>(x, more + shift, rows * width);
          byNorm<T><<<rows, 64>>>(x, width, gain + shift, largest, out + shift, width);
        },
        [&] {
          require(stream::grow_byNorm::launch(rows, x, more + shift, rows * width, width, gain + shift, largest, out + shift, width),
                  "stream");
        });
    // The rows must be those of the flat kernel.
    good &= stream::grow_byNorm::launch(rows, x, more, rows * width, width + 1, gain, largest, out, width) ==
            cudaErrorInvalidConfiguration;
    good &= stream::grow_byNorm::launch(rows, x, more, rows * width - 1, width, gain, largest, out, width) ==
            cudaErrorInvalidConfiguration;
  }
  return good;
}

bool views(int gap, int repeats) {
  Array<float> from(2 * rows * (most + gap), 9), right(2 * (most + gap), 5), between(2 * rows * most), to(2 * rows * most);
  bool good = true;
  for (int width : lengths) {
    const dim3 grid(rows, 2);
    const int pitch = width + gap, plane = rows * pitch;
    Both both;
    both.output("to", to);
    good &= both.same(
        "view",
        [&] {
          ofView<32><<<grid, 32>>>(from, between, width, pitch, plane);
          times<<<grid, 32>>>(between, right, to, width, repeats, pitch);
        },
        [&] {
          require(view::ofView_times::launch(grid, from, between, width, pitch, plane, right, to, repeats, pitch), "view");
        });
  }
  return good;
}

bool flats() {
  Array<float> in(64 * most, 9), gain(most, 5), mean(64), spread(64), out(64 * most);
  bool good = true;
  for (int width : lengths) {
    Both both;
    both.output("mean", mean), both.output("spread", spread), both.output("out", out);
    good &= both.same(
        "flat",
        [&] {
          means<<<64, 64>>>(mean, in, width, 64);
          spreads<<<64, 64>>>(spread, in, mean, width, 64);
          centred<<<width, 64>>>(out, in, mean, spread, gain, width);
        },
        [&] { require(flat::means_spreads_centred::launch(64, mean, in, width, 64, spread, out, gain), "flat"); });
    good &= flat::means_spreads_centred::launch(64, mean, in, width, 32, spread, out, gain) == cudaErrorInvalidConfiguration;
  }
  return good;
}

bool byWarps() {
  using T = __half;
  Array<T> a(7 * 4096, 3), b(7 * 4096, 2), gain(4096, 2), sum(7 * 4096 + 8), out(7 * 4096);
  Array<float> total(7);
  bool good = true;
  for (int width : lengths)
    if (width % 8 == 0 && width <= 4096) {
      Both both;
      both.output("sum", sum), both.output("total", total), both.output("out", out);
      good &= both.same(
          "eights",
          [&] {
            addEights<<<(7 * width + 255) / 256, 32>>>(sum, a, b, 7 * width);
            ofWarp<<<2, 128>>>(sum, gain, total, out, 7, width);
          },
          [&] {
            require(eights::addEights_ofWarp::launch(7, sum, a, b, 7 * width, gain, total, out, 7, width), "eights");
          });
    }
  // Rows must be whole vectors in registers.
  for (int width : {12, 4104})
    good &= eights::addEights_ofWarp::launch(4, sum, a, b, 4 * width, gain, total, out, 4, width) ==
            cudaErrorInvalidConfiguration;
  return good && eights::addEights_ofWarp::launch(4, sum + 1, a, b, 4 * 64, gain, total, out, 4, 64) ==
                     cudaErrorInvalidConfiguration;
}

int main() {
  bool good = streams(0) && streams(1) && byWarps();
  good &= views(0, 1) && views(8, 2) && views(1, 1);
  good &= flats();
  return good ? 0 : 1;
}
