#ifdef CUFUSE_SYNC
__device__ __forceinline__ void __syncthreads() { cufuse_partition::sync(); }
#endif
#ifdef CUFUSE_ALL_BARRIERS
/// The kernel may name any: it has all to itself.
__device__ constexpr unsigned cufuse_barrier(unsigned barrier) { return barrier; }
#endif
#ifdef CUFUSE_NAMED
__device__ constexpr unsigned cufuse_barrier(unsigned barrier) { return cufuse_partition::named(CUFUSE_NAMED); }
#endif
#ifdef CUFUSE_COUNTED
__device__ __forceinline__ void __barrier_sync_count(unsigned barrier, unsigned count) {
  cufuse_partition::syncNamed(cufuse_barrier(barrier), count);
}
#endif
#ifdef CUFUSE_BARRIER_SYNC
#ifdef CUFUSE_NAMES
__device__ __forceinline__ void __barrier_sync(unsigned barrier) {
  if (barrier == 0)
    cufuse_partition::sync();
  else
    cufuse_partition::syncNamed(cufuse_barrier(barrier), cufuse_partition::PaddedThreads);
}
#else
__device__ __forceinline__ void __barrier_sync(unsigned) { cufuse_partition::sync(); }
#endif
#endif
#ifdef CUFUSE_COUNT
__device__ __forceinline__ int __syncthreads_count(int predicate) { return cufuse_partition::syncCount(predicate); }
#endif
#ifdef CUFUSE_AND
__device__ __forceinline__ int __syncthreads_and(int predicate) { return cufuse_partition::syncAnd(predicate); }
#endif
#ifdef CUFUSE_OR
__device__ __forceinline__ int __syncthreads_or(int predicate) { return cufuse_partition::syncOr(predicate); }
#endif
