// Built-in variables, barriers and fences of a block.
#pragma once

// Written at every change of the fibre. Not const, because a compiler assumes that what is const stays what it is.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

inline void __syncthreads() { cuda_emulated::barrier(0, 0, cuda_emulated::BarrierKind::Sync); }
inline int __syncthreads_count(int predicate) {
  return cuda_emulated::barrier(0, 0, cuda_emulated::BarrierKind::Count, predicate != 0);
}
inline int __syncthreads_and(int predicate) {
  return cuda_emulated::barrier(0, 0, cuda_emulated::BarrierKind::And, predicate != 0);
}
inline int __syncthreads_or(int predicate) {
  return cuda_emulated::barrier(0, 0, cuda_emulated::BarrierKind::Or, predicate != 0);
}

inline void __threadfence() { cuda_emulated::mayYield(); }
inline void __threadfence_block() { cuda_emulated::mayYield(); }
inline void __threadfence_system() { cuda_emulated::mayYield(); }
inline void __nanosleep(unsigned) { cuda_emulated::yield(); }
[[noreturn]] inline void __trap() { cuda_emulated::fail("__trap()"); }

/// Shared addresses as PTX has them: 32 bits from where shared memory starts.
namespace cuda_emulated {
extern "C" char __start_emulated_shared[], __stop_emulated_shared[];
inline bool isShared(const void *address) {
  return address >= __start_emulated_shared && address < __stop_emulated_shared;
}
inline unsigned toShared(const void *address) {
  return static_cast<unsigned>(static_cast<const char *>(address) - __start_emulated_shared);
}
/// Of a block of the cluster (PTX ISA, mapa): its number, from 1 on, is above what an address has.
constexpr unsigned ClusterBits = 24, MaxCluster = 16;
void *ofCluster(unsigned rank, unsigned address);
unsigned clusterRank();
unsigned clusterSize();
unsigned inGroup(unsigned ofCluster); ///< Of a block of the cluster, its number among all that take turns.
void arriveAtCluster();
void awaitCluster();
inline void *fromShared(unsigned address) {
  const unsigned number = address >> ClusterBits;
  return number == 0 || number > MaxCluster ? __start_emulated_shared + static_cast<int>(address)
                                            : ofCluster(number - 1, address & ((1u << ClusterBits) - 1));
}
} // namespace cuda_emulated
inline std::size_t __cvta_generic_to_shared(const void *address) { return cuda_emulated::toShared(address); }
inline void *__cvta_shared_to_generic(std::size_t address) {
  return cuda_emulated::fromShared(static_cast<unsigned>(address));
}

long long clock64();
