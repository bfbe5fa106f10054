#include "transpose.h"

#include <random>

#define TILE 32
#define BLOCK_ROWS 8

/// A block moves one tile, every thread TILE / BLOCK_ROWS elements; the padding column avoids bank conflicts.
template <typename T>
__global__ void transposeTiled(const T *__restrict__ in, T *__restrict__ out, int width, int height) {
  __shared__ T tile[TILE][TILE + 1];

  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int row = 0; row < TILE; row += BLOCK_ROWS) {
    if (x < width && y + row < height)
      tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
  }
  __syncthreads();

  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int row = 0; row < TILE; row += BLOCK_ROWS) {
    if (x < height && y + row < width)
      out[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
  }
}

namespace {

/// The largest number of tile rows up to 8 that divides the number of blocks.
dim3 factorise(unsigned blocks) {
  unsigned y = 8;
  while (blocks % y != 0)
    --y;
  return dim3(blocks / y, y);
}

std::vector<float> randomMatrix(std::size_t size) {
  std::minstd_rand generator(61);
  std::vector<float> values(size);
  for (float &value : values)
    value = static_cast<float>(generator() % 2000001) - 1000000.0f;
  return values;
}

} // namespace

namespace samples::transpose {

Problem::Problem(dim3 tiles)
    : width(tiles.x * TILE - 5), height(tiles.y * TILE - 3), in(randomMatrix(static_cast<std::size_t>(width) * height)),
      out(in.size()) {
  grid = tiles;
}

Problem::Problem(unsigned blocks) : Problem(factorise(blocks)) {}

void Problem::launch(cudaStream_t stream) const {
  transposeTiled<float>
      <<<grid, dim3(TILE, BLOCK_ROWS), dynamicSharedBytes, stream>>>(in.get(), out.get(), width, height);
}

std::vector<Output> Problem::outputs() const { return {{"out", out.get(), out.bytes(), false}}; }

bool Problem::check() const {
  const std::vector<float> source = in.toHost(), got = out.toHost();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::size_t from = static_cast<std::size_t>(y) * width + x, to = static_cast<std::size_t>(x) * height + y;
      if (got[to] != source[from]) {
        std::printf("transpose: out[%zu] is %g, expected %g\n", to, got[to], source[from]);
        return false;
      }
    }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::transpose

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("transpose", samples::transpose::make, argc, argv); }
#endif
