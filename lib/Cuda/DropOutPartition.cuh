/// A partition whose threads may leave before others synchronise. A warp that has exited never arrives at a hardware
/// barrier with a count, so the threads meet at an mbarrier, from which those that leave drop out (PTX ISA,
/// mbarrier.arrive_drop).
template <unsigned First, unsigned Barrier, unsigned SizeX, unsigned SizeY, unsigned SizeZ>
struct CufuseDropOutPartition : CufusePartition<First, Barrier, SizeX, SizeY, SizeZ> {
  using Whole = CufusePartition<First, Barrier, SizeX, SizeY, SizeZ>;
  struct Meeting {
    unsigned long long barrier;
    int votes;
  };
  static __device__ __forceinline__ Meeting &meeting() {
    __shared__ __align__(8) unsigned char memory[sizeof(Meeting)];
    return reinterpret_cast<Meeting &>(memory);
  }
  static __device__ __forceinline__ unsigned address() {
    return static_cast<unsigned>(__cvta_generic_to_shared(&meeting().barrier));
  }
  /// All threads begin a block of the kernel.
  static __device__ __forceinline__ void begin() {
    if (Whole::rank() == 0) {
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "n"(Whole::Threads) : "memory");
      meeting().votes = 0;
    }
    Whole::sync();
  }
  /// All have left it.
  static __device__ __forceinline__ void end() {
    Whole::sync();
    if (Whole::rank() == 0)
      asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address()) : "memory");
  }
  static __device__ __forceinline__ void sync() {
    unsigned long long phase;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(phase) : "r"(address()) : "memory");
    unsigned complete;
    do
#if __CUDA_ARCH__ >= 900 // sleeps for a while instead of spinning
      asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
#else
      asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
#endif
                   : "=r"(complete)
                   : "r"(address()), "l"(phase)
                   : "memory");
    while (!complete);
  }
  static __device__ __forceinline__ void leave() {
    asm volatile("{ .reg .b64 phase; mbarrier.arrive_drop.shared.b64 phase, [%0]; }" ::"r"(address()) : "memory");
#ifdef CUFUSE_PLAYS_ONCE
    asm volatile("exit;");
#endif
  }
  /// The number of threads here with a predicate.
  static __device__ __forceinline__ int syncCount(int predicate) {
    if (predicate)
      atomicAdd(&meeting().votes, 1);
    sync();
    const int count = *const_cast<volatile int *>(&meeting().votes);
    sync();
    atomicExch(&meeting().votes, 0);
    sync();
    return count;
  }
  static __device__ __forceinline__ int syncAnd(int predicate) { return syncCount(!predicate) == 0; }
  static __device__ __forceinline__ int syncOr(int predicate) { return syncCount(predicate) != 0; }
};
