/// A barrier for one thread of each block of a launch whose blocks all run at once. It begins before any block comes to
/// it. What others of the block have stored before, and the thread knows of, is there for all behind it.
struct CufuseGridBarrier {
  unsigned long long *arrivals, before;
  explicit __device__ __forceinline__ CufuseGridBarrier(unsigned place) : arrivals(cufuse_arrivals + place) {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(before) : "l"(arrivals) : "memory");
  }
  __device__ __forceinline__ void wait() const {
    const unsigned long long one = blockIdx.x == 0 ? (1ull << 32) - (gridDim.x - 1) : 1;
    asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(arrivals), "l"(one) : "memory");
    unsigned long long now;
    do
      asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(arrivals) : "memory");
    while (now >> 32 == before >> 32);
  }
};
