// One declaration for all kernels and helpers of a file; each kernel has its own part.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:rotated %t/kernels.cu:summed --block 48 --block 96 --copies 2 --copies 1 --name match \
// RUN:   -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:rotated %t/kernels.cu:summed --block 48 --block 96 --grid-policy stride --name stride \
// RUN:   -o %t/stride.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu

//--- kernels.cu
struct Pair {
  int a, b;
};
extern __shared__ Pair pairs[];
extern __shared__ int words[];

__device__ Pair next() { return pairs[(threadIdx.x + 1) % blockDim.x]; }

__global__ void rotated(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  pairs[threadIdx.x] = Pair{in[i], i};
  __syncthreads();
  const Pair other = next();
  out[i] = other.a * 3 + other.b;
}

__global__ void summed(const int *in, int *out) {
  words[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    __syncthreads();
    const int other = threadIdx.x >= step ? words[threadIdx.x - step] : 0;
    __syncthreads();
    words[threadIdx.x] += other;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = words[threadIdx.x];
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "match.h"
#include "stride.h"

int main() {
  Array<int> in(4096), a(4096), b(4096);
  Both both;
  both.output("a", a), both.output("b", b);
  bool good = true;
  auto unfused = [&] {
    rotated<<<11, 48, 48 * sizeof(Pair)>>>(in, a);
    summed<<<7, 96, 96 * sizeof(int)>>>(in, b);
  };
  good &= both.same("match", unfused, [&] {
    require(match::launch({11, 48 * sizeof(Pair), {in, a}}, {7, 96 * sizeof(int), {in, b}}), "match");
  });
  good &= both.same("stride", unfused, [&] {
    require(stride::launch({11, 48 * sizeof(Pair), {in, a}}, {7, 96 * sizeof(int), {in, b}}), "stride");
  });
  return good ? 0 : 1;
}
