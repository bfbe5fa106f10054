// What the threads of a block compute together. The block is a whole number of warps.
#pragma once

/// The same value for every thread: that of all threads, combined in an order that depends on the block's size alone.
template <typename Combine> __device__ __forceinline__ float blockReduce(float value, float neutral, Combine combine) {
  __shared__ float ofWarp[32];
  for (int offset = 16; offset > 0; offset /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
  if (threadIdx.x % 32 == 0)
    ofWarp[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x % 32 < blockDim.x / 32 ? ofWarp[threadIdx.x % 32] : neutral;
  for (int offset = 16; offset > 0; offset /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
  __syncthreads(); // before the next reduction uses the same memory
  return value;
}

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Maximum {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

__device__ __forceinline__ float blockSum(float value) { return blockReduce(value, 0.0f, Sum()); }
__device__ __forceinline__ float blockMaximum(float value) { return blockReduce(value, -INFINITY, Maximum()); }
