// Blocks of a cluster write into each other's shared memory between two barriers. One that has not begun, or
// has exited, has no such memory; who does not wait reads too early; a barrier that a thread leaves out is an error.
// RUN: %emulate -o %t %s
// RUN: %t right && env EMULATED_SEED=2 %t right && env EMULATED_SEED=3 %t right
// RUN: %exits 87 %t early 2>&1 | %FileCheck %s --check-prefix=EARLY
// RUN: %exits 87 %t leaving 2>&1 | %FileCheck %s --check-prefix=LEAVING
// RUN: %exits 87 %t twice 2>&1 | %FileCheck %s --check-prefix=TWICE
// RUN: %exits 87 %t missing 2>&1 | %FileCheck %s --check-prefix=MISSING
// RUN: not %t unawaited

// EARLY: emulated: shared memory of block {{[0-3]}} of the cluster, which has not begun
// LEAVING: emulated: shared memory of block {{[0-3]}} of the cluster, which has exited
// TWICE: emulated: barrier.cluster.arrive, again without a wait
// MISSING: emulated: barrier.cluster.wait without an arrival

#include <cstdio>
#include <cstring>

enum Way { Right, Early, Leaving, Twice, Missing, Unawaited };

__device__ void arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ void wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ unsigned there(const void *here, unsigned rank) {
  unsigned address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(here))), "r"(rank));
  return address;
}

/// Each block gives each other one a number of its own; then reads what the next one was given.
__global__ void exchange(int *out, Way way) {
  __shared__ int given[4][32];
  const unsigned rank = blockIdx.x % 4;
  if (way != Early)
    arrive(), wait();
  for (unsigned to = 0; to < 4; ++to)
    asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(there(&given[rank][threadIdx.x], to)),
                 "r"(blockIdx.x * 100 + threadIdx.x)
                 : "memory");
  if (way == Twice)
    arrive();
  if (way != Missing || threadIdx.x != 5)
    arrive();
  if (way != Unawaited)
    wait();
  int sum = 0;
  for (unsigned from = 0; from < 4; ++from)
    sum += given[from][threadIdx.x];
  int next;
  asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(next) : "r"(there(&given[rank][threadIdx.x], (rank + 1) % 4)));
  out[blockIdx.x * 32 + threadIdx.x] = sum * 1000 + next;
  if (way == Unawaited)
    wait();
  if (way != Leaving)
    arrive(), wait();
}

int main(int, char **arguments) {
  const char *const names[] = {"right", "early", "leaving", "twice", "missing", "unawaited"};
  int way = 0;
  while (std::strcmp(names[way], arguments[1]) != 0)
    ++way;
  int *out;
  cudaMallocManaged(&out, 8 * 32 * sizeof(int));
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 4, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  const cudaLaunchConfig_t config = {dim3(8), dim3(32), 0, nullptr, &cluster, 1};
  if (cudaLaunchKernelEx(&config, exchange, out, static_cast<Way>(way)) != cudaSuccess)
    return 2;
  int wrong = 0;
  for (int i = 0; i < 8 * 32; ++i) {
    const int block = i / 32, first = block / 4 * 4, lane = i % 32;
    wrong += out[i] != (first * 400 + 600 + 4 * lane) * 1000 + block * 100 + lane;
  }
  cluster.val.clusterDim.x = 3; // does not divide the grid
  wrong += cudaLaunchKernelEx(&config, exchange, out, Right) == cudaSuccess;
  cluster.val.clusterDim.x = 16; // is not asked for
  wrong += cudaLaunchKernelEx(&config, exchange, out, Right) != cudaErrorInvalidClusterSize;
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
