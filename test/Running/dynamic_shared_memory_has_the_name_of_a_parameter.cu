// Where the name of shared memory at file scope is that of something else, too, each means what it meant.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:reduced %t/kernels.cu:'shadowed<int>' --block 64 --block 96 --copies 2 --copies 1 --name match \
// RUN:   -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:reduced %t/kernels.cu:'shadowed<int>' --block 64 --block 96 --grid-policy stride --name stride \
// RUN:   -o %t/stride.cu
// RUN: FileCheck %s --input-file=%t/match.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu

// CHECK: #define cufuse_shared_sdata
// CHECK: void warpReduce(volatile int *sdata, int tid) {
// CHECK: if (tid < 32) warpReduce(cufuse_shared_sdata, tid);
// CHECK: #undef cufuse_shared_sdata
// CHECK: #define cufuse_shared_words

//--- kernels.cu
extern __shared__ int sdata[];
extern __shared__ int words[];
#define AT(array, i) array[i]

__device__ void warpReduce(volatile int *sdata, int tid) {
  for (int step = 32; step > 0; step /= 2) {
    if (tid < step)
      sdata[tid] += sdata[tid + step];
    __syncwarp();
  }
}
__device__ int first() { return sdata[0]; }

__global__ void reduced(const int *in, int *out) {
  const int tid = threadIdx.x;
  sdata[tid] = in[blockIdx.x * blockDim.x + threadIdx.x];
  AT(sdata, tid) += 1;
  __syncthreads();
  if (tid < 32) warpReduce(sdata, tid);
  __syncthreads();
  if (tid == 0)
    out[blockIdx.x] = first() + static_cast<int>(sizeof(sdata[0]));
}

struct Holder {
  int *words;
};
template <typename T> __global__ void shadowed(const T *in, T *out) {
  words[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  const Holder holder{::words};
  T sum = 0;
  {
    const T *words = holder.words + threadIdx.x / 2;
    sum = words[1] * 3 + ::words[0];
  }
  auto last = [&] { return words[blockDim.x - 1]; };
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + last();
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
    reduced<<<11, 64, 64 * sizeof(int)>>>(in, a);
    shadowed<int><<<7, 96, 96 * sizeof(int)>>>(in, b);
  };
  good &= both.same("match", unfused, [&] {
    require(match::launch({11, 64 * sizeof(int), {in, a}}, {7, 96 * sizeof(int), {in, b}}), "match");
  });
  good &= both.same("stride", unfused, [&] {
    require(stride::launch({11, 64 * sizeof(int), {in, a}}, {7, 96 * sizeof(int), {in, b}}), "stride");
  });
  return good ? 0 : 1;
}
