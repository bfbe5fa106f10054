__device__ __forceinline__ void __syncthreads() { cufuse_partition::sync(); }
#ifdef CUFUSE_ALL_BARRIERS
/// The kernel may name any: it has all to itself.
__device__ constexpr unsigned cufuse_barrier(unsigned barrier) { return barrier; }
#endif
#ifdef CUFUSE_NAMED
__device__ constexpr unsigned cufuse_barrier(unsigned barrier) { return cufuse_partition::named(CUFUSE_NAMED); }
#endif
__device__ __forceinline__ void __barrier_sync_count(unsigned barrier, unsigned count) {
  cufuse_partition::syncNamed(cufuse_barrier(barrier), count);
}
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
__device__ __forceinline__ int __syncthreads_count(int predicate) { return cufuse_partition::syncCount(predicate); }
__device__ __forceinline__ int __syncthreads_and(int predicate) { return cufuse_partition::syncAnd(predicate); }
__device__ __forceinline__ int __syncthreads_or(int predicate) { return cufuse_partition::syncOr(predicate); }
