#include "stencil.h"

#include <algorithm>
#include <cmath>
#include <random>

#define TILE_X 8
#define TILE_Y 8
#define TILE_Z 4
#define STEPS 3 // tiles that a block marches through along z
#define RADIUS 1

constexpr float kCentre = 0.4f, kAlongX = 0.125f, kAlongY = 0.1f, kAlongZ = 0.075f;

static __constant__ float coefficients[4] = {kCentre, kAlongX, kAlongY, kAlongZ};

struct Tile {
  float cells[TILE_Z + 2 * RADIUS][TILE_Y + 2 * RADIUS][TILE_X + 2 * RADIUS];
};

static __device__ __forceinline__ int clampTo(int index, int size) { return min(max(index, 0), size - 1); }

/// All threads of the block load the tile whose first inner cell is (x0, y0, z0), with its halo.
static __device__ void loadTile(Tile &tile, const float *__restrict__ in, samples::stencil::Extent extent, int x0,
                                int y0, int z0) {
  constexpr int kWidth = TILE_X + 2 * RADIUS, kHeight = TILE_Y + 2 * RADIUS, kDepth = TILE_Z + 2 * RADIUS;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  for (int i = thread; i < kWidth * kHeight * kDepth; i += threads) {
    const int tileX = i % kWidth, tileY = i / kWidth % kHeight, tileZ = i / (kWidth * kHeight);
    const int x = clampTo(x0 + tileX - RADIUS, extent.x);
    const int y = clampTo(y0 + tileY - RADIUS, extent.y);
    const int z = clampTo(z0 + tileZ - RADIUS, extent.z);
    tile.cells[tileZ][tileY][tileX] = in[(z * extent.y + y) * extent.x + x];
  }
}

__global__ void stencil7Point(const float *__restrict__ in, float *__restrict__ out, samples::stencil::Extent extent) {
  __shared__ Tile tile;

  const int x0 = blockIdx.x * TILE_X, x = x0 + threadIdx.x;
  const int y0 = blockIdx.y * TILE_Y, y = y0 + threadIdx.y;
  const int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS, tz = threadIdx.z + RADIUS;

  for (int step = 0; step < STEPS; ++step) {
    const int z0 = (blockIdx.z * STEPS + step) * TILE_Z, z = z0 + threadIdx.z;
    loadTile(tile, in, extent, x0, y0, z0);
    __syncthreads();
    if (x < extent.x && y < extent.y && z < extent.z) {
      const auto &cells = tile.cells;
      out[(z * extent.y + y) * extent.x + x] = coefficients[0] * cells[tz][ty][tx] +
                                               coefficients[1] * (cells[tz][ty][tx - 1] + cells[tz][ty][tx + 1]) +
                                               coefficients[2] * (cells[tz][ty - 1][tx] + cells[tz][ty + 1][tx]) +
                                               coefficients[3] * (cells[tz - 1][ty][tx] + cells[tz + 1][ty][tx]);
    }
    __syncthreads(); // the next step overwrites the tile
  }
}

namespace {

unsigned largestDivisor(unsigned number, unsigned limit) {
  while (number % limit != 0)
    --limit;
  return limit;
}

dim3 factorise(unsigned blocks) {
  const unsigned y = largestDivisor(blocks, 8);
  const unsigned z = largestDivisor(blocks / y, 8);
  return dim3(blocks / y / z, y, z);
}

std::vector<float> randomVolume(std::size_t size) {
  std::minstd_rand generator(97);
  std::vector<float> values(size);
  for (float &value : values)
    value = static_cast<float>(generator() % 20001) / 10000.0f - 1.0f;
  return values;
}

} // namespace

namespace samples::stencil {

Problem::Problem(dim3 bricks)
    : extent{static_cast<int>(bricks.x * TILE_X) - 3, static_cast<int>(bricks.y * TILE_Y) - 1,
             static_cast<int>(bricks.z * TILE_Z * STEPS) - 2},
      in(randomVolume(static_cast<std::size_t>(extent.x) * extent.y * extent.z)), out(in.size()) {
  grid = bricks;
}

Problem::Problem(unsigned blocks) : Problem(factorise(blocks)) {}

void Problem::launch(cudaStream_t stream) const {
  stencil7Point<<<grid, dim3(TILE_X, TILE_Y, TILE_Z), dynamicSharedBytes, stream>>>(in.get(), out.get(), extent);
}

std::vector<Output> Problem::outputs() const { return {{"out", out.get(), out.bytes(), false}}; }

bool Problem::check() const {
  const std::vector<float> source = in.toHost(), got = out.toHost();
  const auto cell = [&](int x, int y, int z) -> double {
    x = std::min(std::max(x, 0), extent.x - 1);
    y = std::min(std::max(y, 0), extent.y - 1);
    z = std::min(std::max(z, 0), extent.z - 1);
    return source[(static_cast<std::size_t>(z) * extent.y + y) * extent.x + x];
  };
  std::size_t at = 0;
  for (int z = 0; z < extent.z; ++z)
    for (int y = 0; y < extent.y; ++y)
      for (int x = 0; x < extent.x; ++x, ++at) {
        const double expected = kCentre * cell(x, y, z) + kAlongX * (cell(x - 1, y, z) + cell(x + 1, y, z)) +
                                kAlongY * (cell(x, y - 1, z) + cell(x, y + 1, z)) +
                                kAlongZ * (cell(x, y, z - 1) + cell(x, y, z + 1));
        if (!(std::fabs(got[at] - expected) <= 1e-5)) {
          std::printf("stencil: out at (%d, %d, %d) is %g, expected %g\n", x, y, z, got[at], expected);
          return false;
        }
      }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::stencil

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("stencil", samples::stencil::make, argc, argv); }
#endif
