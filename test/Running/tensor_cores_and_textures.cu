// Matrix instructions belong to warps, textures and surfaces to nobody: both are what they were.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:products %t/kernels.cu:sampled %t/kernels.cu:assembled --block 64 --block 16x8 --block 32 \
// RUN:   --name match -o %t/match.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -arch=sm_90a -cubin -o %t/match.cubin %t/match.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu

//--- kernels.cu
#include <cuda_fp16.h>
#include <mma.h>

// Each warp multiplies two tiles of 16 by 16.
__global__ void products(const half *a, const half *b, float *out) {
  using namespace nvcuda;
  __shared__ float tile[2][256];
  const int warp = threadIdx.x / 32, first = (blockIdx.x * 2 + warp) * 256;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.5f);
  wmma::load_matrix_sync(left, a + first, 16);
  wmma::load_matrix_sync(right, b + first, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(tile[warp], sum, 16, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 64)
    out[blockIdx.x * 512 + i] = tile[1 - i / 256][i % 256];
}

// mma.sync by hand: the product of an 16x8 and an 8x8 tile.
__global__ void assembled(const unsigned *a, const unsigned *b, float *out) {
  float d[4];
  const unsigned *left = a + blockIdx.x * 64, *right = b + blockIdx.x * 32;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(left[threadIdx.x]), "r"(left[threadIdx.x + 32]), "r"(right[threadIdx.x]), "f"(1.0f));
  for (int i = 0; i < 4; ++i)
    out[blockIdx.x * 128 + i * 32 + threadIdx.x] = d[i];
}

__global__ void sampled(cudaTextureObject_t texture, cudaSurfaceObject_t surface, int width, int height, float *out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float kept;
  surf2Dread(&kept, surface, (width - 1 - x) * sizeof(float), y);
  out[y * width + x] = tex2D<float>(texture, x + 0.25f, y + 0.75f) + kept;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "match.h"

int main() {
  constexpr int Width = 50, Height = 20;
  std::vector<float> image(Width * Height);
  for (int i = 0; i < Width * Height; ++i)
    image[i] = i * 0.37f;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  require(cudaMallocArray(&array, &format, Width, Height, cudaArraySurfaceLoadStore), "array");
  require(cudaMemcpy2DToArray(array, 0, 0, image.data(), Width * 4, Width * 4, Height, cudaMemcpyHostToDevice), "image");
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  cudaSurfaceObject_t surface;
  require(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "texture");
  require(cudaCreateSurfaceObject(&surface, &resource), "surface");

  std::vector<half> values(8192);
  for (int i = 0; i < 8192; ++i)
    values[i] = __float2half((i * 7 % 33) * 0.125f - 2);
  half *halves;
  require(cudaMalloc(&halves, values.size() * sizeof(half)), "halves");
  require(cudaMemcpy(halves, values.data(), values.size() * sizeof(half), cudaMemcpyHostToDevice), "halves");
  auto *pairs = reinterpret_cast<unsigned *>(halves);

  Array<float> a(4096), b(4096), c(4096);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  const bool good = both.same(
      "match",
      [&] {
        products<<<7, 64>>>(halves, halves + 4096, a);
        sampled<<<dim3(4, 3), dim3(16, 8)>>>(texture, surface, Width, Height, b);
        assembled<<<9, 32>>>(pairs, pairs + 1024, c);
      },
      [&] {
        require(match::launch({7, {halves, halves + 4096, a}}, {dim3(4, 3), {texture, surface, Width, Height, b}},
                              {9, {pairs, pairs + 1024, c}}),
                "match");
      });
  return good ? 0 : 1;
}
