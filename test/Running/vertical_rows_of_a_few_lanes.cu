// Blocks of a warp or less are played beside each other by one text: each has its own shared memory, and waits for its own lanes.
// A reduction of CUB's is of these, for however many more threads the text has room. Rows are in registers, those that begin where
// a value says, too, and that value is loaded first. Sums of small integers are exact in any order.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse 'kernels.cu:centre<float>' 'kernels.cu:turnHalves<float>' --link centre.out=turnHalves.row \
// RUN:   --link centre.width=turnHalves.width --distinct --block 8 --copies 12 --in-registers --name eight -o eight.cu
// RUN: %cufuse fuse 'kernels.cu:centre<__half>' 'kernels.cu:turnHalves<__half>' --link centre.out=turnHalves.row \
// RUN:   --link centre.width=turnHalves.width --distinct --block 8 --copies 16 --in-registers --reassociate --name wide -o wide.cu
// RUN: FileCheck %s --check-prefix=WIDE --input-file=wide.cu
// WIDE: // threads    0 to  127: {{.*}}, 16 of block 8{{$}}
// WIDE: ::cub::BlockReduce<T, How == ::cub::BLOCK_REDUCE_WARP_REDUCTIONS && sizeof...(More) == 0 ? 8 : Given,
// WIDE: __shared__ float share_ofCopies[cufuse_partition::Copies]; auto &share = share_ofCopies[cufuse_partition::copy()];
// WIDE: const long long dataOf_turnHalves_positions = positions[static_cast<long long>(blockIdx.x)];
// WIDE: cufuseLoadRow(row, rowOf_table, table + static_cast<long long>(dataOf_turnHalves_positions) * length, length);
// RUN: %cufuse fuse 'kernels.cu:centre<float>' 'kernels.cu:turnHalves<float>' --link centre.out=turnHalves.row \
// RUN:   --link centre.width=turnHalves.width --distinct --block 32 --copies 3 --in-registers --name whole -o whole.cu
// RUN: FileCheck %s --check-prefix=WHOLE --input-file=whole.cu
// WHOLE: // threads    0 to   95: {{.*}}, 3 of block 32{{$}}
// In two groups, each of so many a block.
// RUN: %cufuse fuse 'kernels.cu:centre<__half>' 'kernels.cu:turnHalves<__half>' + 'kernels.cu:centre<__half>' 'kernels.cu:turnHalves<__half>' \
// RUN:   --link centre_0.out=turnHalves_0.row --link centre_0.width=turnHalves_0.width \
// RUN:   --link centre_1.out=turnHalves_1.row --link centre_1.width=turnHalves_1.width --distinct --geometry blocks \
// RUN:   --block 8 --copies 16 --block 8 --copies 16 --in-registers --reassociate --name two -o two.cu
// RUN: FileCheck %s --check-prefix=BOTH --input-file=two.cu
// BOTH: const bool wide = {{.*}}centre_turnHalves_0Launch.arguments.width{{.*}} % 8 == 0
// BOTH: centre_turnHalves_1Launch.arguments.width{{.*}} % 8 == 0
// BOTH: fused<16, 16, 8>
// Lanes of a warp that exchange values by themselves are those of the warp: such blocks have one each.
// RUN: %cufuse fuse 'kernels.cu:byShuffles' 'kernels.cu:turnHalves<float>' --link byShuffles.out=turnHalves.row \
// RUN:   --link byShuffles.width=turnHalves.width --distinct --block 8 --copies 4 --in-registers --name padded -o padded.cu
// RUN: FileCheck %s --check-prefix=PADDED --input-file=padded.cu
// PADDED: // threads   96 to  127: {{.*}}, block 8, barrier 4
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I . main.cu eight.cu wide.cu whole.cu two.cu padded.cu
// RUN: %exits 1 %cufuse fuse 'kernels.cu:ofCub' 'kernels.cu:turnHalves<float>' --link ofCub.out=turnHalves.row \
// RUN:   --link ofCub.width=turnHalves.width --distinct --block 8 --copies 4 --in-registers -o no.cu 2>&1 | FileCheck %s --check-prefix=OFCUB
// OFCUB: error: a cub::BlockReduce is not of the block's lanes
// OFCUB: name it without ::, or say --block 32

//--- kernels.cu
#include <cub/block/block_reduce.cuh>
#include <cuda_fp16.h>

template <typename T> __global__ void centre(const T *in, T *out, int width) {
  using Sum = cub::BlockReduce<float, 1024>;
  __shared__ typename Sum::TempStorage scratch;
  __shared__ float share;
  float own = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    own += static_cast<float>(in[blockIdx.x * width + i]);
  const float all = Sum(scratch).Sum(own, blockDim.x);
  if (threadIdx.x == 0)
    share = all;
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[blockIdx.x * width + i] = static_cast<T>(static_cast<float>(in[blockIdx.x * width + i]) - share);
}

__global__ void byShuffles(const float *in, float *out, int width) {
  float all = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    all += in[blockIdx.x * width + i];
  for (int by = 4; by > 0; by /= 2)
    all += __shfl_xor_sync(0xff, all, by);
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[blockIdx.x * width + i] = in[blockIdx.x * width + i] - all;
  __syncthreads();
}

__global__ void ofCub(const float *in, float *out, int width) {
  __shared__ ::cub::BlockReduce<float, 64>::TempStorage scratch;
  __shared__ float share;
  float own = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    own += in[blockIdx.x * width + i];
  const float all = ::cub::BlockReduce<float, 64>(scratch).Sum(own, blockDim.x);
  if (threadIdx.x == 0)
    share = all;
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[blockIdx.x * width + i] = in[blockIdx.x * width + i] - share;
}

template <typename T> __device__ void turn(T *row, const T *angles, int j, int half) {
  const float low = row[j], high = row[half + j], cosine = __ldg(angles + j), sine = __ldg(angles + half + j);
  row[j] = static_cast<T>(low * cosine - high * sine);
  row[half + j] = static_cast<T>(high * cosine + low * sine);
}
template <typename T> __global__ void turnHalves(T *row, const T *table, const long long *positions, int width) {
  const int half = width / 2;
  const T *angles = table + positions[blockIdx.x] * width;
  for (int j = threadIdx.x; j < half; j += blockDim.x)
    turn(row + blockIdx.x * width, angles, j, half);
}

//--- main.cu
#include "both.h"

#include "kernels.cu"


#include "eight.h"
#include "padded.h"
#include "two.h"
#include "whole.h"
#include "wide.h"

constexpr int lengths[] = {0, 1, 7, 16, 64, 100, 128, 256, 384, 520, 1024, 2048};
constexpr int rows = 37, most = 2048;

template <typename T, typename Fused> bool turns(const char *name, Fused fused) {
  Array<T> in(rows * most + 8, 7), out(rows * most + 8, 5), table(4 * most + 8, 4);
  Array<long long> positions(rows, 3);
  bool good = true;
  for (int width : lengths)
    for (int shift : {0, 1}) {
      Both compared;
      compared.output("out", out);
      good &= compared.same(
          name,
          [&] {
            centre<T><<<rows, 32>>>(in, out, width);
            turnHalves<T><<<rows, 32>>>(out, table + shift, positions, width);
          },
          [&] { require(fused(in, out, width, table + shift, positions), name); }, width == 0);
    }
  return good;
}

bool groups() {
  Array<__half> a(rows * most, 7), b(rows * most, 5), outA(rows * most, 3), outB(rows * most, 2), table(4 * most, 4);
  Array<long long> positions(rows, 3);
  bool good = true;
  for (int width : {64, 128, 130}) {
    Both compared;
    compared.output("outA", outA), compared.output("outB", outB);
    good &= compared.same(
        "groups",
        [&] {
          centre<__half><<<rows, 32>>>(a, outA, width);
          turnHalves<__half><<<rows, 32>>>(outA, table, positions, width);
          centre<__half><<<3, 32>>>(b, outB, width);
          turnHalves<__half><<<3, 32>>>(outB, table, positions, width);
        },
        [&] {
          require(two::launch({dim3(rows), {a, outA, width, table, positions}}, {dim3(3), {b, outB, width, table, positions}}),
                  "groups");
        });
  }
  return good;
}

int main() {
  bool good = turns<float>("eight", [](auto... of) { return eight::centre_turnHalves::launch(rows, of...); });
  good &= turns<__half>("wide", [](auto... of) { return wide::centre_turnHalves::launch(rows, of...); });
  good &= turns<float>("whole", [](auto... of) { return whole::centre_turnHalves::launch(rows, of...); });
  good &= turns<float>("padded", [](auto... of) { return padded::byShuffles_turnHalves::launch(rows, of...); });
  good &= groups();
  return !good;
}
