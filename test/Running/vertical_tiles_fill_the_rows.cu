// A matrix product whose tiles have no guards goes with what takes it where its launch has tiles that fill the rows.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical a.cu:product a.cu:shift --link product.out=shift.in --block 4x4 --name live -o live.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/live.cu

//--- a.cu
__device__ void put(float *address, float4 value) { *reinterpret_cast<float4 *>(address) = value; }
__global__ void product(float *__restrict__ out, const float *__restrict__ a, const float *__restrict__ b, int k,
                        int columns) {
  __shared__ float tile[16][16];
  a += 16 * blockIdx.x * k;
  b += 16 * blockIdx.y;
  out += 16 * blockIdx.x * columns + 16 * blockIdx.y;
  for (int i = 4 * threadIdx.y; i < 4 * threadIdx.y + 4; i++)
    for (int j = 4 * threadIdx.x; j < 4 * threadIdx.x + 4; j++) {
      float sum = 0;
      for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * columns + j];
      tile[j][i] = sum;
    }
  __syncthreads();
  for (int i = 0; i < 4; i++) {
    const float *from = &tile[4 * threadIdx.y][4 * threadIdx.x + i];
    put(out + (4 * threadIdx.x + i) * columns + 4 * threadIdx.y, make_float4(from[0], from[16], from[32], from[48]));
  }
}
__global__ void shift(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2 + i;
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "live.h"

int main() {
  bool good = true;
  Array<float> a(80 * 5, 7), b(5 * 64, 7), mid(80 * 64), out(80 * 64);
  for (int rows : {16, 80})
    for (int columns : {16, 48, 64}) {
      Both live;
      live.output("intermediate", mid), live.output("out", out);
      auto fused = [&](int width, int n) {
        live::product_shift::Launch launch{};
        launch.grid = dim3(rows / 16, columns / 16);
        launch.arguments = {mid, a, b, 5, width, out, n};
        return live::launch(launch);
      };
      good &= live.same(
          "tiles",
          [&] {
            product<<<dim3(rows / 16, columns / 16), dim3(4, 4)>>>(mid, a, b, 5, columns);
            shift<<<rows * columns / 8, 8>>>(mid, out, rows * columns);
          },
          [&] { require(fused(columns, rows * columns), "live"); });
      // Columns beside the tiles, tiles over each other, and other elements.
      for (int width : {columns - 1, columns + 1})
        good &= fused(width, rows * columns) == cudaErrorInvalidConfiguration;
      good &= fused(columns, rows * columns - 1) == cudaErrorInvalidConfiguration;
    }
  return good ? 0 : 1;
}
