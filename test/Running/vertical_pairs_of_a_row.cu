// A kernel may take elements of a row together, as rotary embeddings do: those of its two halves, of three parts, or neighbours,
// in place or not, by a helper too. They are in registers of one thread where a part is a multiple of what the block has in a
// turn, and in memory otherwise: of every length, results are those of the separate launches, bit for bit. Sums of small
// integers are exact, so that this holds with --reassociate, too. Blocks with barriers and shared memory may be played beside each
// other, each by a text of its own.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse 'kernels.cu:centre<float>' 'kernels.cu:turnHalves<float>' --link centre.out=turnHalves.row \
// RUN:   --link centre.width=turnHalves.width --distinct --block 32 --in-registers --name halves -o halves.cu 2>&1 | FileCheck %s --check-prefix=LENGTHS
// LENGTHS-NOT: It can be launched with
// RUN: %cufuse fuse 'kernels.cu:centre<__half>' 'kernels.cu:turnHalves<__half>' --link centre.out=turnHalves.row \
// RUN:   --link centre.width=turnHalves.width --distinct --block 32 --in-registers --reassociate --name wide -o wide.cu 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: By row, 8 elements of a thread at a time
// RUN: %cufuse fuse 'kernels.cu:centre<__half>' 'kernels.cu:turnNeighbours' --link centre.out=turnNeighbours.row --link centre.width=turnNeighbours.width --distinct --block 32 \
// RUN:   --in-registers --reassociate --name neighbours -o neighbours.cu 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: %cufuse fuse 'kernels.cu:centre<float>' 'kernels.cu:ofThirds' --link centre.out=ofThirds.row --link centre.width=ofThirds.width --dead centre.out --distinct \
// RUN:   --block 32 --in-registers --name thirds -o thirds.cu
// RUN: %cufuse fuse 'kernels.cu:centre<float>' 'kernels.cu:negate' --link centre.out=negate.row --link centre.width=negate.width \
// RUN:   --distinct --block 32 --in-registers --name whole -o whole.cu
// RUN: %cufuse fuse 'kernels.cu:centre<float>' 'kernels.cu:turnHalves<float>' --link centre.out=turnHalves.row \
// RUN:   --link centre.width=turnHalves.width --distinct --block 32 --copies 2 --in-registers --name copies -o copies.cu
// RUN: FileCheck %s --check-prefix=REGISTERS --input-file=halves.cu
// REGISTERS: In registers: centre.out.
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I . main.cu copies.cu halves.cu wide.cu neighbours.cu thirds.cu \
// RUN:   whole.cu
// Neighbours are of two threads with sums in their order; nobody else takes what is changed; a part begins where others end.
// RUN: %exits 1 %cufuse fuse 'kernels.cu:centre<__half>' 'kernels.cu:turnNeighbours' --link centre.out=turnNeighbours.row --link centre.width=turnNeighbours.width --distinct \
// RUN:   --block 32 --in-registers -o no.cu 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: {{.*}}: turnNeighbours takes 2 elements of a row that stand next to each other [NotByRow]
// ORDER: say --reassociate
// RUN: %exits 1 %cufuse fuse 'kernels.cu:centre<float>' 'kernels.cu:turnHalves<float>' 'kernels.cu:ofThirds' --link centre.out=turnHalves.row \
// RUN:   --link centre.width=turnHalves.width --link centre.out=ofThirds.row --distinct --block 32 --in-registers -o no.cu 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: turnHalves: row[j] {{.*}} [InPlaceHazard]
// RUN: %exits 1 %cufuse fuse 'kernels.cu:centre<float>' 'kernels.cu:shifted' --link centre.out=shifted.row --link centre.width=shifted.width \
// RUN:   --distinct --block 32 --in-registers -o no.cu 2>&1 | FileCheck %s --check-prefix=SHIFTED
// SHIFTED: shifted: row[{{.*}} [NotByRow]
// RUN: %exits 1 %cufuse fuse 'kernels.cu:centre<float>' 'kernels.cu:turnHalves<float>' --link centre.out=turnHalves.row \
// RUN:   --link centre.width=turnHalves.width --block 32 --in-registers -o no.cu 2>&1 | FileCheck %s --check-prefix=ALIAS
// ALIAS: turnHalves: {{.*}} [MayAlias]
// RUN: %exits 1 %cufuse fuse 'kernels.cu:inDynamic' 'kernels.cu:negate' --link inDynamic.out=negate.row --link inDynamic.width=negate.width \
// RUN:   --distinct --block 32 --copies 2 --in-registers -o no.cu 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: error: inDynamic, then negate has dynamic shared memory, and its blocks are not played side by side

//--- kernels.cu
#include <cuda_fp16.h>

template <typename T> __global__ void centre(const T *in, T *out, int width) {
  __shared__ float parts[32];
  float own = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    own += static_cast<float>(in[blockIdx.x * width + i]);
  parts[threadIdx.x] = own;
  __syncthreads();
  float all = 0;
  for (int t = 0; t < blockDim.x; ++t)
    all += parts[t];
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[blockIdx.x * width + i] = static_cast<T>(static_cast<float>(in[blockIdx.x * width + i]) - all);
}

template <typename T> __device__ void turn(T *row, const T *angles, int j, int half) {
  const float low = row[j], high = row[half + j], cosine = __ldg(angles + j), sine = __ldg(angles + half + j);
  row[j] = static_cast<T>(low * cosine - high * sine);
  row[half + j] = static_cast<T>(high * cosine + low * sine);
}
template <typename T> __global__ void turnHalves(T *row, const T *table, const int *positions, int width) {
  const int half = width / 2;
  const T *angles = table + positions[blockIdx.x] * width;
  for (int j = threadIdx.x; j < half; j += blockDim.x)
    turn(row + blockIdx.x * width, angles, j, half);
}

__global__ void turnNeighbours(__half *row, const __half *table, int width, int pairs) {
  __half *own = row + blockIdx.x * width;
  for (int j = threadIdx.x; j < pairs; j += blockDim.x) {
    const __half cosine = table[j], even = own[2 * j];
    own[2 * j] = even * cosine - own[2 * j + 1];
    own[2 * j + 1] += even;
  }
}

__global__ void ofThirds(const float *row, float *to, int width, int third) {
  for (int j = threadIdx.x; j < third; j += blockDim.x)
    to[blockIdx.x * third + j] = row[blockIdx.x * width + j] - 2 * row[blockIdx.x * width + third + j] +
                                 3 * row[blockIdx.x * width + 2 * third + j];
}

__global__ void negate(float *row, int width) {
  for (int j = threadIdx.x; j < width; j += blockDim.x)
    if (row[blockIdx.x * width + j] < 0)
      row[blockIdx.x * width + j] = -row[blockIdx.x * width + j];
}

__global__ void inDynamic(const float *in, float *out, int width) {
  extern __shared__ float first[];
  if (threadIdx.x == 0)
    first[0] = in[blockIdx.x * width];
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[blockIdx.x * width + i] = in[blockIdx.x * width + i] - first[0];
}

__global__ void shifted(float *row, int width) {
  for (int j = threadIdx.x; j < width / 2; j += blockDim.x)
    row[blockIdx.x * width + j + 1] += 1;
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "copies.h"
#include "halves.h"
#include "neighbours.h"
#include "thirds.h"
#include "whole.h"
#include "wide.h"

constexpr int lengths[] = {0, 1, 2, 7, 32, 63, 64, 65, 96, 100, 128, 192, 256, 512, 520, 1024, 2048, 2050, 6144};
constexpr int rows = 3, most = 6144;

template <typename T, typename Fused> bool turns(const char *name, Fused fused) {
  Array<T> in(rows * most + 8, 7), out(rows * most + 8, 5), table(4 * most, 4);
  Array<int> positions(rows, 3);
  bool good = true;
  for (int width : lengths)
    for (int shift : {0, 1}) {
      Both both;
      both.output("out", out);
      good &= both.same(
          name,
          [&] {
            centre<T><<<rows, 32>>>(in, out + shift, width);
            turnHalves<T><<<rows, 32>>>(out + shift, table, positions, width);
          },
          [&] { require(fused(in, out + shift, width, table, positions), name); }, width == 0);
    }
  return good;
}

bool byNeighbours() {
  Array<__half> in(rows * most, 7), out(rows * most, 5), table(most, 4);
  bool good = true;
  for (int width : lengths) {
    Both both;
    both.output("out", out);
    good &= both.same(
        "neighbours",
        [&] {
          centre<__half><<<rows, 32>>>(in, out, width);
          turnNeighbours<<<rows, 32>>>(out, table, width, width / 2);
        },
        [&] {
          require(neighbours::centre_turnNeighbours::launch(rows, in, out, width, table, width / 2), "neighbours");
        },
        /*idle=*/width == 0);
  }
  // More pairs than the row has.
  return good && neighbours::centre_turnNeighbours::launch(rows, in, out, 64, table, 33) == cudaErrorInvalidConfiguration;
}

bool byThirds() {
  Array<float> in(rows * most, 7), between(rows * most, 5), to(rows * most, 9);
  bool good = true;
  for (int width : lengths)
    for (int third : {width / 3, width / 4}) {
      Both both;
      both.output("to", to);
      good &= both.same(
          "thirds",
          [&] {
            centre<float><<<rows, 32>>>(in, between, width);
            ofThirds<<<rows, 32>>>(between, to, width, third);
          },
          [&] { require(thirds::centre_ofThirds::launch(rows, in, between, width, to, third), "thirds"); }, third == 0);
    }
  // What is dead needs memory where a part is no multiple.
  return good && thirds::centre_ofThirds::launch(rows, in, nullptr, 100, to, 33) == cudaErrorInvalidConfiguration &&
         thirds::centre_ofThirds::launch(rows, in, nullptr, 96, to, 31) == cudaErrorInvalidConfiguration &&
         thirds::centre_ofThirds::launch(rows, in, nullptr, 96, to, 32) == cudaSuccess;
}

bool wholeRow() {
  Array<float> in(rows * most, 7), out(rows * most, 5);
  bool good = true;
  for (int width : lengths) {
    Both both;
    both.output("out", out);
    good &= both.same(
        "whole",
        [&] {
          centre<float><<<rows, 32>>>(in, out, width);
          negate<<<rows, 32>>>(out, width);
        },
        [&] { require(whole::centre_negate::launch(rows, in, out, width), "whole"); }, width == 0);
  }
  return good;
}

int main() {
  bool good = turns<float>("halves", [](auto... of) { return halves::centre_turnHalves::launch(rows, of...); });
  good &= turns<float>("copies", [](auto... of) { return copies::centre_turnHalves::launch(rows, of...); });
  good &= turns<__half>("wide", [](auto... of) { return wide::centre_turnHalves::launch(rows, of...); });
  good &= byNeighbours();
  good &= byThirds();
  good &= wholeRow();
  return !good;
}
