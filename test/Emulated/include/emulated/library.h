// What the toolkit's own headers (cooperative groups, CUB, libcu++) name beyond what kernels do: they are the real ones,
// translated as kernels are.
#pragma once

// The headers compare the compiler with the toolkit, and else take it for an old one.
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
// The emulator's half types are not those that these headers look into.
#define CCCL_DISABLE_FP16_SUPPORT
#define CCCL_DISABLE_BF16_SUPPORT
// Cooperative groups bring traits of their own, without half of libcu++.
#define _CG_LIMIT_INCLUDED_DEPENDENCIES

#define EMULATED_ALIGNED_VECTORS(T, NAME)                                                                              \
  struct __attribute__((aligned(16))) NAME##4_16a { T x, y, z, w; };                                                   \
  struct __attribute__((aligned(32))) NAME##4_32a { T x, y, z, w; };
EMULATED_ALIGNED_VECTORS(long, long)
EMULATED_ALIGNED_VECTORS(unsigned long, ulong)
EMULATED_ALIGNED_VECTORS(long long, longlong)
EMULATED_ALIGNED_VECTORS(unsigned long long, ulonglong)
EMULATED_ALIGNED_VECTORS(double, double)
#undef EMULATED_ALIGNED_VECTORS

// The smaller and the larger of each of two halves.
#define EMULATED_HALVES(NAME, T, OPERATION)                                                                            \
  inline unsigned NAME(unsigned a, unsigned b) {                                                                       \
    const auto of = [=](int half) {                                                                                    \
      return static_cast<unsigned short>(OPERATION(static_cast<T>(a >> half), static_cast<T>(b >> half)));             \
    };                                                                                                                 \
    return static_cast<unsigned>(of(16)) << 16 | of(0);                                                                \
  }
EMULATED_HALVES(__vmins2, short, min)
EMULATED_HALVES(__vminu2, unsigned short, min)
EMULATED_HALVES(__vmaxs2, short, max)
EMULATED_HALVES(__vmaxu2, unsigned short, max)
#undef EMULATED_HALVES

inline void __barrier_sync(unsigned id) { cuda_emulated::barrier(id, 0, cuda_emulated::BarrierKind::Sync); }
inline void __barrier_sync_count(unsigned id, unsigned count) {
  cuda_emulated::barrier(id, count, cuda_emulated::BarrierKind::Sync);
}

// Spaces of addresses.
inline unsigned __isShared(const void *address) { return cuda_emulated::isShared(address); }
inline unsigned __isClusterShared(const void *address) { return cuda_emulated::isShared(address); }
inline unsigned __isGlobal(const void *address) { return !cuda_emulated::isShared(address); }
/// Caches are not emulated.
inline void *__nv_associate_access_property(const void *address, unsigned long long) {
  return const_cast<void *>(address);
}
inline std::size_t __cvta_generic_to_global(const void *address) { return reinterpret_cast<std::size_t>(address); }
inline void *__cvta_global_to_generic(std::size_t address) { return reinterpret_cast<void *>(address); }
extern "C" inline std::uint32_t __nvvm_get_smem_pointer(void *address) { return cuda_emulated::toShared(address); }

/// The place of the `offset`th bit set from `base` on, upwards or downwards; all ones if there is none.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0)
    return mask >> base & 1 ? base : ~0u;
  const int step = offset < 0 ? -1 : 1;
  int missing = offset < 0 ? -offset : offset;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step)
    if ((mask >> bit & 1) && --missing == 0)
      return static_cast<unsigned>(bit);
  return ~0u;
}

// Clusters are blocks next to each other in x.
inline unsigned __clusterDimIsSpecified() { return cuda_emulated::clusterSize() > 1; }
inline dim3 __clusterDim() { return dim3(cuda_emulated::clusterSize()); }
inline dim3 __clusterRelativeBlockIdx() { return dim3(cuda_emulated::clusterRank(), 0, 0); }
inline dim3 __clusterGridDimInClusters() {
  return dim3(gridDim.x / cuda_emulated::clusterSize(), gridDim.y, gridDim.z);
}
inline dim3 __clusterIdx() { return dim3(blockIdx.x / cuda_emulated::clusterSize(), blockIdx.y, blockIdx.z); }
inline unsigned __clusterRelativeBlockRank() { return cuda_emulated::clusterRank(); }
inline unsigned __clusterSizeInBlocks() { return cuda_emulated::clusterSize(); }
inline void __cluster_barrier_arrive() { cuda_emulated::arriveAtCluster(); }
inline void __cluster_barrier_wait() { cuda_emulated::awaitCluster(); }
inline unsigned __cluster_query_shared_rank(const void *) { return cuda_emulated::clusterRank(); }
inline void *__cluster_map_shared_rank(const void *address, unsigned rank) {
  return cuda_emulated::ofCluster(rank, cuda_emulated::toShared(address));
}
