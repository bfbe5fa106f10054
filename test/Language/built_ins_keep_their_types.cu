// `auto`, deduction, ternaries, varargs, assert, copies of whole vectors, default arguments and initialisers, overloads.
// RUN: %cufuse fuse %s:uses %s:prints %s:takes --block 32x2 --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <type_traits>

template <typename T> __device__ T larger(T a, T b) { return a < b ? b : a; }
template <typename T> __device__ bool isUnsigned(T) { return std::is_same<T, unsigned>::value; }
struct Place {
  unsigned x = threadIdx.x, y;
  dim3 block = blockDim;
  __device__ Place() : y(threadIdx.y) {}
};
__device__ unsigned offsetBy(unsigned a = threadIdx.x, unsigned b = blockIdx.x) { return a + b; }
__device__ unsigned sum(const uint3 &at) { return at.x + at.y + at.z; }
__device__ unsigned volume(dim3 size) { return size.x * size.y * size.z; }

__global__ void uses(unsigned *data, int n) {
  auto t = threadIdx.x;
  t += blockDim.x;
  static_assert(std::is_same<decltype(t), unsigned>::value, "auto");
  const uint3 whole = threadIdx;
  const dim3 size = blockDim, grid = gridDim;
  const auto reference = threadIdx;
  unsigned sums = sum(threadIdx) + volume(blockDim) + volume(gridDim) + sum(blockIdx) + reference.y;
  sums += larger(threadIdx.x, 5u) + larger(blockIdx.x, gridDim.y) + larger(blockDim.x, t);
  sums += threadIdx.y == 0 ? threadIdx.x : blockDim.x;
  sums += isUnsigned(threadIdx.x) + offsetBy() + Place().y + Place().block.x;
  const unsigned x(threadIdx.x), y{threadIdx.y};
  const int i = (int)threadIdx.x + static_cast<int>(blockIdx.x) - int(blockDim.x);
  unsigned array[2] = {threadIdx.x, blockIdx.x};
  if (i < n)
    data[(threadIdx.x) + (blockIdx).x * (blockDim.x)] = sums + whole.x + size.y + grid.z + x + y + array[n & 1] + -threadIdx.x;
}

__global__ void prints(unsigned *data) {
  assert(threadIdx.x < blockDim.x && "in the block");
  if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1)
    printf("%u of %u, %d\n", threadIdx.x, blockDim.x, (int)blockIdx.x);
  data[threadIdx.x] = blockIdx.x;
}

// For nvcc they are constant objects of the plain types.
template <typename T> __device__ int kind(T) { return 1; }
__device__ int kind(uint3) { return 2; }
__device__ int kind(dim3) { return 3; }
__device__ int place(unsigned &) { return 4; }
__device__ int place(const unsigned &) { return 5; }
__device__ int place(unsigned &&) { return 6; }
__device__ int whole(const uint3 &) { return 7; }
__device__ int whole(uint3 &&) { return 8; }
template <typename T> __device__ unsigned first(T &t) { return t.x; }
__global__ void takes(int *out) {
  auto own = threadIdx;
  own.x += 5;
  static_assert(std::is_same<decltype(own), uint3>::value && std::is_same<decltype(threadIdx.x), unsigned>::value, "auto");
  const auto [x, y, z] = threadIdx;
  const auto &block = blockIdx;
  auto &&column = threadIdx.x;
  int sum = own.x + x + y + z + block.x + column + first(blockDim);
  sum += kind(threadIdx) * 10 + kind(own) * 100 + kind(blockDim) * 1000;
  sum += place(threadIdx.x) + place(column) + place(own.x) * 10 + whole(threadIdx);
  out[threadIdx.x] = sum;
}
