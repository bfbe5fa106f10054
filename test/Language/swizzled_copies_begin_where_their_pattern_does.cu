// Tensor copies swizzle by the address in shared memory: a kernel's is aligned as where it is alone, to 1024 bytes.
// RUN: %cufuse fuse %s:counts %s:dynamicTile %s:staticTile --block 128 --block 128 --block 128 --name f -o %t.cu -- -std=c++17
// RUN: FileCheck %s --input-file %t.cu
// RUN: %nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -cubin -o %t.cubin %t.cu
// CHECK: __shared__ __align__(128) half tile[64 * 64] __attribute__((aligned(1024)));
// CHECK: __shared__ uint64_t bar;
// CHECK: const size_t countsStride = strideOf(countsLaunch.dynamicSharedBytes, 1024);
#include <cstdint>
#include <cuda.h>
#include <cuda_fp16.h>

__device__ void load(half *to, const CUtensorMap &map, uint64_t &bar, int row) {
  const uint32_t shared = static_cast<uint32_t>(__cvta_generic_to_shared(to)),
                 arrives = static_cast<uint32_t>(__cvta_generic_to_shared(&bar));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(arrives) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(arrives), "r"(64 * 128) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(shared),
                 "l"(&map), "r"(arrives), "r"(0), "r"(row)
                 : "memory");
  }
  __syncthreads();
  uint32_t done = 0;
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(arrives)
                 : "memory");
}
__device__ half at(const half *tile, int row, int column) {
  return tile[row * 64 + ((column / 8) ^ (row % 8)) * 8 + column % 8];
}
__global__ void __launch_bounds__(128) dynamicTile(const __grid_constant__ CUtensorMap map, half *out) {
  extern __shared__ __align__(128) half tiles[];
  load(tiles, map, *reinterpret_cast<uint64_t *>(tiles + 64 * 64), blockIdx.x * 64);
  for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x)
    out[blockIdx.x * 4096 + i] = at(tiles, i / 64, i % 64);
}
__global__ void __launch_bounds__(128) staticTile(const __grid_constant__ CUtensorMap map, half *out) {
  __shared__ __align__(128) half tile[64 * 64];
  __shared__ uint64_t bar;
  load(tile, map, bar, blockIdx.x * 64);
  for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x)
    out[blockIdx.x * 4096 + i] = at(tile, i / 64, i % 64);
}
__global__ void counts(const unsigned char *x, unsigned *bins, int n) {
  extern __shared__ unsigned own[];
  for (int i = threadIdx.x; i < 288; i += blockDim.x)
    own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(own + x[i], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 288; i += blockDim.x)
    atomicAdd(bins + i, own[i]);
}
