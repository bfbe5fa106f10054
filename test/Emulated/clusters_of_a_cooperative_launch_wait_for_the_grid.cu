// In a cooperative launch, all blocks run at once, in clusters with barriers and shared memory of their own.
// RUN: %emulate --seed 1 --seed 2 --seed 3 %s | %FileCheck %s
// CHECK: 0 wrong
#include <cooperative_groups.h>

#include <cstdio>

/// Each block gives the next one of its cluster a number, which goes to all blocks by way of memory.
__global__ void pass(int *between, int *out) {
  __shared__ int given;
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(there)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&given))), "r"((blockIdx.x + 1) % 4));
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  if (threadIdx.x == 0)
    asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(there), "r"(blockIdx.x) : "memory");
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  if (threadIdx.x == 0)
    between[blockIdx.x] = given;
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = between[(blockIdx.x + 5) % 12];
}

int main() {
  int *between, *out, wrong = 0;
  cudaMallocManaged(&between, 12 * sizeof(int));
  cudaMallocManaged(&out, 12 * sizeof(int));
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = 4, attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeCooperative;
  attributes[1].val.cooperative = 1;
  const cudaLaunchConfig_t config = {dim3(12), dim3(64), 0, nullptr, attributes, 2};
  wrong += cudaLaunchKernelEx(&config, pass, between, out) != cudaSuccess;
  wrong += cudaDeviceSynchronize() != cudaSuccess;
  for (int i = 0; i < 12; ++i) {
    const int from = (i + 5) % 12;
    wrong += out[i] != from / 4 * 4 + (from + 3) % 4;
  }
  std::printf("%d wrong\n", wrong);
}
