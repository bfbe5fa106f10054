// Kernels that their file hides, static shared memory, and managed variables that program and kernels both write.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:counted %t/kernels.cu:hidden '%t/kernels.cu:kept<3>' --block 64 --block 96 --block 32 \
// RUN:   --name match -o %t/match.cu -- -rdc=true
// RUN: %cufuse fuse %t/kernels.cu:counted %t/kernels.cu:hidden --block 64 --block 96 --grid-policy stride --copies 2 \
// RUN:   --copies 1 --name stride -o %t/stride.cu -- -rdc=true
// RUN: %execute --rdc -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu

//--- kernels.cu
__managed__ int seen[4];
namespace counters {
__managed__ int limit = 500;
}
static __device__ int turned(int value, int last) {
  static __shared__ int turn[96];
  turn[threadIdx.x] = value;
  __syncthreads();
  const int other = turn[last - threadIdx.x];
  __syncthreads();
  return other;
}
__global__ void counted(const int *in, int *out) {
  const int value = in[blockIdx.x * 64 + threadIdx.x];
  if (value < counters::limit)
    atomicAdd(&seen[threadIdx.x % 4], 1);
  out[blockIdx.x * 64 + threadIdx.x] = turned(value, 63) + counters::limit;
}
namespace {
constexpr int Shift = 3;
struct Hidden {
  int by = Shift;
};
__global__ void hidden(const int *in, int *out) {
  const Hidden value;
  out[blockIdx.x * 96 + threadIdx.x] = turned(in[threadIdx.x] << value.by, 95);
}
} // namespace
template <int By> static __global__ void kept(const int *in, int *out) {
  static const int table[4] = {By, 1, By, 4};
  out[blockIdx.x * 32 + threadIdx.x] = in[threadIdx.x] * table[threadIdx.x % 4] + Shift;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "match.h"
#include "stride.h"

int main() {
  Array<int> in(8192), a(8192), b(8192), c(8192);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  int first[4] = {};
  auto unfused = [&] {
    counters::limit = 300;
    counted<<<70, 64>>>(in, a), hidden<<<50, 96>>>(in, b), kept<3><<<9, 32>>>(in, c);
    require(cudaDeviceSynchronize(), "unfused");
    for (int i = 0; i < 4; ++i)
      first[i] = seen[i], seen[i] = 0;
  };
  bool good = true, counts = true;
  good &= both.same("match", unfused, [&] {
    require(match::launch({70, {in, a}}, {50, {in, b}}, {9, {in, c}}), "match");
    require(cudaDeviceSynchronize(), "match");
    for (int i = 0; i < 4; ++i)
      counts &= seen[i] == first[i] && first[i] > 0;
  });
  good &= both.same("stride", unfused, [&] {
    kept<3><<<9, 32>>>(in, c);
    require(stride::launch({70, {in, a}}, {50, {in, b}}), "stride");
  });
  return good && counts ? 0 : 1;
}
