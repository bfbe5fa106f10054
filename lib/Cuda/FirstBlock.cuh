/// The first block of a launch that comes plays kernels before the others begin with the next one. They wait for it
/// alone, which runs already and waits for nobody: not all of them need be resident. The lowest 24 bits of the count
/// are how many blocks have come, the next ones how many have waited; after a launch, it is 0 again.
struct CufuseFirstBlock {
  static constexpr unsigned long long waited = 1ull << 24, played = 1ull << 48;
  unsigned long long *const count;
  bool is;
  explicit __device__ __forceinline__ CufuseFirstBlock(unsigned place) : count(cufuse_arrivals + place) {
    __shared__ bool isFirst;
    if (::threadIdx.x == 0)
      isFirst = atomicAdd(count, 1ull) % waited == 0;
    ::__syncthreads();
    is = isFirst;
  }
  __device__ __forceinline__ void wait() const {
    ::__syncthreads();
    if (::threadIdx.x == 0) {
      ::__threadfence();
      if (is)
        atomicAdd(count, played);
      unsigned long long now;
      do
        asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(count) : "memory");
      while (now < played);
      if (atomicAdd(count, waited) / waited % waited == gridDim.x - 1)
        atomicExch(count, 0ull); // all have come, and nobody looks any more
    }
    ::__syncthreads();
  }
};
