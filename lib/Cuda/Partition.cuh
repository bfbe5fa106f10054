#ifdef CUFUSE_BARRIERS
/// Threads [First, First + SizeX * SizeY * SizeZ) of the block play one block of a kernel. They synchronise by a
/// hardware barrier of their own, which counts whole warps (PTX ISA, barrier.cta). The lanes of a warp meet first: in
/// functions that are not inlined, ptxas 13.0 lets those that come early pass the barrier without the others.
#else
/// Threads [First, First + SizeX * SizeY * SizeZ) of the block play one block of a kernel.
#endif
template <unsigned First, unsigned Barrier, unsigned SizeX, unsigned SizeY, unsigned SizeZ> struct CufusePartition {
  static constexpr unsigned Threads = SizeX * SizeY * SizeZ;
#ifdef CUFUSE_LANES
  static constexpr unsigned PaddedThreads = Threads;
  static_assert(First == 0 && 32 % Threads == 0, "impossible partition");
#else
#ifdef CUFUSE_PADDED
  static constexpr unsigned PaddedThreads = (Threads + 31) / 32 * 32;
  static_assert(Threads >= 1 && First % 32 == 0 && First + PaddedThreads <= 1024 && Barrier <= 15,
                "impossible partition");
#endif
#endif
#ifdef CUFUSE_COPY
  /// The blocks that the same text plays, and which of them the thread is in.
  static constexpr unsigned Copies = CUFUSE_COPY;
  static __device__ __forceinline__ unsigned copy() { return Copies == 1 ? 0 : ::threadIdx.x / PaddedThreads; }
#endif
#ifdef CUFUSE_KEEPS_BLOCK
  static __device__ __forceinline__ unsigned rank() {
    return SizeY * SizeZ == 1 ? ::threadIdx.x : (::threadIdx.z * SizeY + ::threadIdx.y) * SizeX + ::threadIdx.x;
  }
#else
#ifdef CUFUSE_BESIDE
  /// Several blocks are played by the same text.
  static __device__ __forceinline__ unsigned rank() { return ::threadIdx.x % PaddedThreads; }
#else
#ifdef CUFUSE_FIRST
  static __device__ __forceinline__ unsigned rank() { return ::threadIdx.x; }
#else
  static __device__ __forceinline__ unsigned rank() {
    if (First == 0)
      return ::threadIdx.x;
#ifdef CUFUSE_ODD
    if ((PaddedThreads & (PaddedThreads - 1)) == 0 && First % PaddedThreads == 0)
      return ::threadIdx.x % PaddedThreads;
    unsigned rank = ::threadIdx.x - First;
    asm("" : "+r"(rank)); // or ptxas subtracts again behind a loop that has changed the copy of threadIdx.x
    return rank;
#else
    return ::threadIdx.x % PaddedThreads;
#endif
  }
#endif
#endif
#endif
#ifdef CUFUSE_KEEPS_BLOCK
  static __device__ __forceinline__ const uint3 threadIdx() { return ::threadIdx; }
#else
#ifdef CUFUSE_FLAT
  static __device__ __forceinline__ const uint3 threadIdx() { return uint3{rank(), 0, 0}; }
#else
  static __device__ __forceinline__ const uint3 threadIdx() {
    return uint3{SizeY * SizeZ == 1 ? rank() : rank() % SizeX,
                 SizeZ == 1 ? (SizeY == 1 ? 0 : rank() / SizeX) : rank() / SizeX % SizeY,
                 SizeZ == 1 ? 0 : rank() / (SizeX * SizeY)};
  }
#endif
#endif
#ifdef CUFUSE_KEEPS_SIZE
  static __device__ __forceinline__ const dim3 blockDim() { return ::blockDim; }
#else
  static __device__ __forceinline__ const dim3 blockDim() { return dim3(SizeX, SizeY, SizeZ); }
#endif
#ifdef CUFUSE_WHOLE
  static __device__ __forceinline__ void sync() { ::__syncthreads(); }
#else
#ifdef CUFUSE_LANES
  /// Its lanes alone.
  static __device__ __forceinline__ void sync() {
    ::__syncwarp(0xffffffffu >> (32 - Threads) << ::threadIdx.x % 32 / Threads * Threads);
  }
#else
  static __device__ __forceinline__ void sync() {
#ifdef CUFUSE_PART
    if (Threads < 32) // those that fill the warp wait elsewhere
      return ::__syncwarp(0xffffffffu >> (32 - Threads) % 32);
#endif
#ifdef CUFUSE_WHOLE_THREADS
    if (Threads == CUFUSE_WHOLE_THREADS)
      return ::__syncthreads();
#endif
    asm volatile("bar.warp.sync 0xffffffff; barrier.cta.sync %0, %1;" ::"n"(Barrier), "n"(PaddedThreads) : "memory");
  }
#endif
#endif
#ifdef CUFUSE_WHOLE
  static __device__ __forceinline__ int syncCount(int predicate) { return ::__syncthreads_count(predicate); }
#else
  static __device__ __forceinline__ int syncCount(int predicate) {
#ifdef CUFUSE_WHOLE_THREADS
    if (Threads == CUFUSE_WHOLE_THREADS)
      return ::__syncthreads_count(predicate);
#endif
    int count;
    asm volatile(
        "{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.warp.sync 0xffffffff; barrier.cta.red.popc.u32 %0, %2, %3, p; }"
        : "=r"(count)
        : "r"(predicate), "n"(Barrier), "n"(PaddedThreads)
        : "memory");
    return count;
  }
#endif
  static __device__ __forceinline__ int syncAnd(int predicate) { return syncCount(!predicate) == 0; }
  static __device__ __forceinline__ int syncOr(int predicate) { return syncCount(predicate) != 0; }
  /// The hardware barriers that stand for those that the kernel names follow its own.
  static constexpr __device__ unsigned named(unsigned index) { return Barrier + 1 + index; }
  static __device__ __forceinline__ void syncNamed(unsigned barrier, unsigned count) {
    asm volatile("bar.warp.sync 0xffffffff; barrier.cta.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory");
  }
  /// The partition's part of the dynamic shared memory, which starts `offset` bytes into the block's.
  template <typename Array> static __device__ __forceinline__ Array &dynamicShared(unsigned offset) {
    return reinterpret_cast<Array &>(cufuse_dynamicShared[offset]);
  }
  /// What functions called by the kernel read of the block they are in.
  struct Indices {
    uint3 blockIdx;
    dim3 gridDim;
    unsigned dynamicOffset;
  };
  static __device__ __forceinline__ Indices &indices() {
    __shared__ __align__(16) unsigned char memory[sizeof(Indices)];
    return reinterpret_cast<Indices &>(memory);
  }
  static __device__ __forceinline__ void enterBlock(uint3 blockIdx, dim3 gridDim, unsigned dynamicOffset) {
    if (rank() == 0)
      indices() = Indices{blockIdx, gridDim, dynamicOffset};
    sync();
  }
  /// The next of the kernel's blocks that nobody has taken from the pool: one thread takes it for all.
  static __device__ __forceinline__ unsigned next(unsigned *pool) {
    __shared__ unsigned taken;
    sync(); // before the next block uses the same shared memory
    if (rank() == 0)
      taken = atomicAdd(pool, 1u);
    sync();
    return taken;
  }
  /// Waits for the thread's asynchronous copies, whoever has waited for some of them.
#ifdef CUFUSE_BULK_COPIES
  /// The next block's bulk copies find what this block has left in shared memory (PTX ISA, async proxy).
#endif
  static __device__ __forceinline__ void finishCopies() {
#ifdef CUFUSE_BULK_COPIES
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
#endif
#endif
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }
#ifdef CUFUSE_EXIT
#ifdef CUFUSE_PLAYS_ONCE
  /// Ends the thread, so that no warp primitive waits for it.
  static __device__ __forceinline__ void leave() { asm volatile("exit;"); }
#else
  /// Only whole warps leave, so that no warp primitive waits for a lane: they go on to the next block.
  static __device__ __forceinline__ void leave() {}
#endif
#endif
};
