#include "sgemm.h"

#include <cmath>
#include <random>

#define BLOCK 16  // threads along each side of a block
#define MICRO 4   // elements of c along each side of a thread's micro-tile
#define TILE 64   // BLOCK * MICRO, elements of c along each side of a block's tile
#define TILE_K 16 // depth of the tiles of a and b

/// All threads of the block copy a part of a row-major matrix to shared memory, with zeros beyond the matrix.
template <int Rows, int Columns>
static __device__ __forceinline__ void loadTile(float (&tile)[Rows][Columns], const float *__restrict__ matrix,
                                                int rows, int columns, int firstRow, int firstColumn) {
  const int thread = threadIdx.y * BLOCK + threadIdx.x;
#pragma unroll
  for (int i = thread; i < Rows * Columns; i += BLOCK * BLOCK) {
    const int row = firstRow + i / Columns;
    const int column = firstColumn + i % Columns;
    tile[i / Columns][i % Columns] = row < rows && column < columns ? matrix[row * columns + column] : 0.0f;
  }
}

/// Loads the tiles of a and b at depth `depth`; returns when the whole block sees them.
static __device__ __forceinline__ void loadTiles(float (&tileA)[TILE][TILE_K], float (&tileB)[TILE_K][TILE],
                                                 const float *__restrict__ a, const float *__restrict__ b, int m, int n,
                                                 int k, int depth) {
  loadTile(tileA, a, m, k, blockIdx.y * TILE, depth);
  loadTile(tileB, b, k, n, depth, blockIdx.x * TILE);
  __syncthreads();
}

/// Adds the product of the two tiles to the thread's micro-tile, whose elements lie BLOCK apart.
static __device__ __forceinline__ void multiplyTiles(const float (&tileA)[TILE][TILE_K],
                                                     const float (&tileB)[TILE_K][TILE], float (&sums)[MICRO][MICRO]) {
#pragma unroll
  for (int depth = 0; depth < TILE_K; ++depth) {
    float columnA[MICRO], rowB[MICRO];
#pragma unroll
    for (int i = 0; i < MICRO; ++i) {
      columnA[i] = tileA[threadIdx.y + i * BLOCK][depth];
      rowB[i] = tileB[depth][threadIdx.x + i * BLOCK];
    }
#pragma unroll
    for (int i = 0; i < MICRO; ++i)
#pragma unroll
      for (int j = 0; j < MICRO; ++j)
        sums[i][j] += columnA[i] * rowB[j];
  }
}

__global__ void __launch_bounds__(BLOCK *BLOCK)
    sgemmTiled(int m, int n, int k, float alpha, const float *__restrict__ a, const float *__restrict__ b, float beta,
               const float *__restrict__ cIn, float *__restrict__ c) {
  __shared__ float tileA[TILE][TILE_K];
  __shared__ float tileB[TILE_K][TILE];

  float sums[MICRO][MICRO] = {};
  for (int depth = 0; depth < k; depth += TILE_K) {
    loadTiles(tileA, tileB, a, b, m, n, k, depth);
    multiplyTiles(tileA, tileB, sums);
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < MICRO; ++i) {
    const int row = blockIdx.y * TILE + threadIdx.y + i * BLOCK;
#pragma unroll
    for (int j = 0; j < MICRO; ++j) {
      const int column = blockIdx.x * TILE + threadIdx.x + j * BLOCK;
      if (row < m && column < n)
        c[row * n + column] = alpha * sums[i][j] + beta * cIn[row * n + column];
    }
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

std::vector<float> randomMatrix(int rows, int columns, unsigned seed) {
  std::minstd_rand generator(seed);
  std::vector<float> values(static_cast<std::size_t>(rows) * columns);
  for (float &value : values)
    value = static_cast<float>(generator() % 20001) / 10000.0f - 1.0f;
  return values;
}

} // namespace

namespace samples::sgemm {

Problem::Problem(dim3 tiles)
    : m(tiles.y * TILE - 7), n(tiles.x * TILE - 13), a(randomMatrix(m, k, 71)), b(randomMatrix(k, n, 72)),
      cIn(randomMatrix(m, n, 73)), c(cIn.size()) {
  grid = tiles;
}

Problem::Problem(unsigned blocks) : Problem(factorise(blocks)) {}

void Problem::launch(cudaStream_t stream) const {
  sgemmTiled<<<grid, dim3(BLOCK, BLOCK), dynamicSharedBytes, stream>>>(m, n, k, alpha, a.get(), b.get(), beta,
                                                                       cIn.get(), c.get());
}

std::vector<Output> Problem::outputs() const { return {{"c", c.get(), c.bytes(), false}}; }

bool Problem::check() const {
  const std::vector<float> left = a.toHost(), right = b.toHost(), addend = cIn.toHost(), got = c.toHost();
  std::vector<double> sums(n);
  for (int row = 0; row < m; ++row) {
    sums.assign(n, 0.0);
    for (int depth = 0; depth < k; ++depth) {
      const double factor = left[static_cast<std::size_t>(row) * k + depth];
      for (int column = 0; column < n; ++column)
        sums[column] += factor * right[static_cast<std::size_t>(depth) * n + column];
    }
    for (int column = 0; column < n; ++column) {
      const std::size_t at = static_cast<std::size_t>(row) * n + column;
      const double expected = alpha * sums[column] + beta * static_cast<double>(addend[at]);
      if (!(std::fabs(got[at] - expected) <= 1e-4 * (1.0 + std::fabs(expected)))) {
        std::printf("sgemm: c[%d][%d] is %g, expected %g\n", row, column, got[at], expected);
        return false;
      }
    }
  }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::sgemm

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("sgemm", samples::sgemm::make, argc, argv); }
#endif
