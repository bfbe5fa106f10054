// A convolution of an image as a matrix product: the weights of the filters times the patches under the filters.

/// The matrix of patches, one element per thread: a row per channel and position in a filter of Size x Size, a column
/// per output pixel. `image` is [channels][height][width], with zeros around; n is channels * Size * Size * pixels.
template <int Size>
__global__ void unfold(const float *__restrict__ image, float *__restrict__ patches, int height, int width, int stride,
                       int padding, int outWidth, int pixels, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int row = i / pixels, pixel = i % pixels;
  const int channel = row / (Size * Size), position = row % (Size * Size);
  const int y = pixel / outWidth * stride - padding + position / Size;
  const int x = pixel % outWidth * stride - padding + position % Size;
  const bool inside = y >= 0 && y < height && x >= 0 && x < width;
  patches[i] = inside ? image[(channel * height + y) * width + x] : 0.0f;
}

constexpr int blockSide = 16; ///< Threads along each side of a block.
constexpr int micro = 4;      ///< Elements of c along each side of what a thread computes.
constexpr int tileSide = 64;  ///< blockSide * micro, elements of c along each side of what a block computes.
constexpr int tileDepth = 16; ///< Of the tiles of a and b in shared memory.

/// c = a * b, row-major: a is m x k, b is k x n. Blocks of 16 x 16 threads; a thread's elements lie 16 apart.
__global__ void __launch_bounds__(blockSide *blockSide)
    multiply(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k) {
  __shared__ float tileA[tileSide][tileDepth], tileB[tileDepth][tileSide];
  const int thread = threadIdx.y * blockSide + threadIdx.x;
  float sums[micro][micro] = {};
  for (int depth = 0; depth < k; depth += tileDepth) {
    // The threads load 16 rows of a's tile at a time, and 4 of b's.
#pragma unroll
    for (int i = 0; i < micro; ++i) {
      const int inA = thread / tileDepth + i * blockSide, row = blockIdx.y * tileSide + inA;
      const int inB = thread / tileSide + i * micro, column = blockIdx.x * tileSide + thread % tileSide;
      const int alongA = depth + thread % tileDepth, alongB = depth + inB;
      tileA[inA][thread % tileDepth] = row < m && alongA < k ? a[row * k + alongA] : 0.0f;
      tileB[inB][thread % tileSide] = alongB < k && column < n ? b[alongB * n + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < tileDepth; ++j)
#pragma unroll
      for (int row = 0; row < micro; ++row)
#pragma unroll
        for (int column = 0; column < micro; ++column)
          sums[row][column] += tileA[threadIdx.y + row * blockSide][j] * tileB[j][threadIdx.x + column * blockSide];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < micro; ++i)
#pragma unroll
    for (int j = 0; j < micro; ++j) {
      const int row = blockIdx.y * tileSide + threadIdx.y + i * blockSide;
      const int column = blockIdx.x * tileSide + threadIdx.x + j * blockSide;
      if (row < m && column < n)
        c[row * n + column] = sums[i][j];
    }
}

/// The bias of each filter, and ReLU.
__global__ void biasRelu(const float *__restrict__ in, const float *__restrict__ bias, float *__restrict__ out,
                         int pixels, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = fmaxf(in[i] + bias[i / pixels], 0.0f);
}
