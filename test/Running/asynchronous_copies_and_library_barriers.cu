// cp.async, pipelines and barriers of the library on the block, which is the partition.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:pipelined %t/kernels.cu:'barriers<2>' %t/kernels.cu:staged --block 64 --block 96 --block 128 \
// RUN:   --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:primitives %t/kernels.cu:grouped --block 128 --block 64 --copies 2 --copies 1 \
// RUN:   --grid-policy stride --name stride -o %t/stride.cu
// RUN: %nvcc -Werror all-warnings -diag-suppress 20054 -std=c++17 -arch=sm_90a -cubin -o %t/match.cubin %t/match.cu
// RUN: %nvcc -Werror all-warnings -diag-suppress 20054 -std=c++17 -arch=sm_90a -cubin -o %t/stride.cubin %t/stride.cu
// RUN: %execute --nvcc=-diag-suppress=20054 -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu

//--- kernels.cu
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

// Two stages: the next tile arrives while this one is read.
__global__ void pipelined(const int *in, int *out, int tiles) {
  __shared__ int memory[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  const int *own = in + blockIdx.x * 64 * tiles;
  int sum = 0;
  for (int fetched = 0, tile = 0; tile < tiles; ++tile) {
    for (; fetched < tiles && fetched < tile + 2; ++fetched) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, memory[fetched % 2], own + fetched * 64, sizeof(int) * 64, pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum = sum * 3 + memory[tile % 2][63 - threadIdx.x];
    pipeline.consumer_release();
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

template <int Stages> __global__ void barriers(const int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived[Stages];
  __shared__ int tile[96];
  if (threadIdx.x == 0)
    for (auto &each : arrived)
      init(&each, blockDim.x);
  __syncthreads();
  for (int i = 0; i < 5; ++i) {
    tile[threadIdx.x] = in[(blockIdx.x * 5 + i) * 96 + threadIdx.x];
    auto token = arrived[i % Stages].arrive();
    arrived[i % Stages].wait(std::move(token));
    const int other = tile[95 - threadIdx.x];
    arrived[i % Stages].arrive_and_wait();
    out[(blockIdx.x * 5 + i) * 96 + threadIdx.x] = other + i;
  }
}

__global__ void staged(const int *in, int *out) {
  __shared__ alignas(16) int tile[512];
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  if (threadIdx.x == 0)
    init(&full, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(tile + threadIdx.x * 4, in + (blockIdx.x * 128 + threadIdx.x) * 4, cuda::aligned_size_t<16>(16), full);
  full.arrive_and_wait();
  for (int i = 0; i < 4; ++i)
    out[blockIdx.x * 512 + i * 128 + threadIdx.x] = tile[511 - (i * 128 + threadIdx.x)];
}

__global__ void primitives(const int *in, int *out) {
  __shared__ alignas(16) int tile[2][512];
  for (int stage = 0; stage < 2; ++stage) {
    __pipeline_memcpy_async(&tile[stage][threadIdx.x * 4], &in[((blockIdx.x * 2 + stage) * 128 + threadIdx.x) * 4], 16);
    __pipeline_commit();
  }
  for (int stage = 0; stage < 2; ++stage) {
    if (stage == 0)
      __pipeline_wait_prior(1);
    else
      __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = 0; i < 4; ++i)
      out[(blockIdx.x * 2 + stage) * 512 + i * 128 + threadIdx.x] = tile[stage][511 - (i * 128 + threadIdx.x)];
  }
}

__global__ void grouped(const int *in, int *out) {
  __shared__ int tile[256];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in + blockIdx.x * 256, sizeof(tile));
  cg::wait(block);
  for (unsigned i = block.thread_rank(); i < 256; i += block.size())
    out[blockIdx.x * 256 + i] = tile[255 - i];
  block.sync();
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "match.h"
#include "stride.h"

int main() {
  Array<int> in(16384), a(16384), b(16384), c(16384);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  bool good = true;
  good &= both.same(
      "match", [&] { pipelined<<<9, 64>>>(in, a, 7), barriers<2><<<11, 96>>>(in, b), staged<<<13, 128>>>(in, c); },
      [&] { require(match::launch({9, {in, a, 7}}, {11, {in, b}}, {13, {in, c}}), "match"); });
  good &= both.same("stride", [&] { primitives<<<15, 128>>>(in, a), grouped<<<23, 64>>>(in, b); },
                    [&] { require(stride::launch({15, {in, a}}, {23, {in, b}}), "stride"); });
  return good ? 0 : 1;
}
