/// Has this block, by its threads, played its share as the last of the launch? Then what all others have stored is
/// there for it. The count is that of a barrier, and so is ready for the next launch.
struct CufuseLastBlock {
  static __device__ __forceinline__ bool is(unsigned place) {
    __shared__ bool isLast;
    ::__syncthreads();
    if (::threadIdx.x == 0) {
      const unsigned long long one = blockIdx.x == 0 ? (1ull << 32) - (gridDim.x - 1) : 1;
      ::__threadfence();
      const unsigned long long before = atomicAdd(cufuse_arrivals + place, one);
      ::__threadfence();
      isLast = before >> 32 != (before + one) >> 32;
    }
    ::__syncthreads();
    return isLast;
  }
};
