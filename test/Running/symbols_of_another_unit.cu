// Relocatable device code: constants, textures and variables of the program's other files are the program's.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:scaled %t/kernels.cu:counted --block 64 --block 96 --name fused -o %t/fused.cu -- -rdc=true
// RUN: %nvcc -Werror all-warnings -std=c++17 -rdc=true -arch=sm_90a -c -I%t -o %t/fused.o %t/fused.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -rdc=true -arch=sm_90a -c -I%t -o %t/symbols.o %t/symbols.cu
// RUN: %nvcc -arch=sm_90a -dlink -o %t/linked.o %t/fused.o %t/symbols.o
// RUN: %execute --rdc -I %S/Inputs -I %t %t/main.cu %t/kernels.cu %t/symbols.cu %t/fused.cu

//--- symbols.h
#pragma once
struct Factors {
  int by, plus;
};
extern __constant__ Factors factors[4];
extern __device__ int counter;
extern __constant__ cudaTextureObject_t image;
namespace tables {
extern __constant__ int offsets[8];
}
//--- symbols.cu
#include "symbols.h"
__constant__ Factors factors[4];
__device__ int counter = 5;
__constant__ cudaTextureObject_t image;
namespace tables {
__constant__ int offsets[8] = {1, 2, 3, 4, 5, 6, 7, 8};
}
//--- kernels.cu
#include "symbols.h"
__global__ void scaled(const int *in, int *out) {
  const Factors f = factors[threadIdx.x % 4];
  out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x] * f.by + f.plus + tables::offsets[threadIdx.x % 8] +
                                       tex1Dfetch<int>(image, static_cast<int>(threadIdx.x * 3));
}
__global__ void counted(const int *in, int *out) {
  if (threadIdx.x == 0)
    atomicAdd(&counter, 0);
  out[blockIdx.x * 96 + threadIdx.x] = in[threadIdx.x] * 2 + counter;
}

//--- main.cu
#include "both.h"
#include "fused.h"
#include "symbols.h"

__global__ void scaled(const int *in, int *out);
__global__ void counted(const int *in, int *out);

int main() {
  const Factors given[4] = {{2, 1}, {3, 4}, {5, 6}, {7, 8}};
  require(cudaMemcpyToSymbol(factors, given, sizeof(given)), "factors");
  Array<int> in(128), a(1024), b(1024);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = 128 * sizeof(int);
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  require(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "texture");
  require(cudaMemcpyToSymbol(image, &texture, sizeof(texture)), "image");
  Both both;
  both.output("a", a), both.output("b", b);
  const bool good = both.same("symbols", [&] { scaled<<<7, 64>>>(in, a), counted<<<5, 96>>>(in, b); },
                              [&] { require(fused::launch({7, {in, a}}, {5, {in, b}}), "fused"); });
  return good ? 0 : 1;
}
