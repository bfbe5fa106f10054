/// A block of one thread.
struct CufuseElementPartition {
  static __device__ __forceinline__ const uint3 threadIdx() { return uint3{0, 0, 0}; }
  static __device__ __forceinline__ const dim3 blockDim() { return dim3(1, 1, 1); }
};
