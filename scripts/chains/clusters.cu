// Distributed shared memory by the size of a cluster, beside own shared memory and L2: cycles of a dependent load,
// cycles of a cluster barrier, and bytes a second of 16-byte loads and stores while every multiprocessor takes part.
#include "measure.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static constexpr int Steps = 2048, Threads = 512, Rounds = 64, Unrolled = 8;
static constexpr unsigned Words = 4096;               // of the chain that is chased: 16 KiB
static constexpr unsigned Slots = Threads * Unrolled; // 16 bytes each: 64 KiB a block
static cudaStream_t stream;

__device__ unsigned sharedAddress(const void *pointer) { return unsigned(__cvta_generic_to_shared(pointer)); }

/// The address of what lies there in the shared memory of another block of the cluster.
__device__ unsigned remote(unsigned address, unsigned rank) {
  unsigned result;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(result) : "r"(address), "r"(rank));
  return result;
}

__device__ unsigned load(unsigned address) {
  unsigned value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address));
  return value;
}

__device__ uint4 load16(unsigned address) {
  uint4 v;
  asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address));
  return v;
}

__device__ void store16(unsigned address, uint4 v) {
  asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v.x), "r"(v.y), "r"(v.z),
               "r"(v.w)
               : "memory");
}

/// Cycles of a load whose address is what the last one gave: of each block of the cluster's from the first, and of
/// barriers.
__global__ void latency(unsigned *cycles) {
  __shared__ unsigned chain[Words];
  const auto cluster = cg::this_cluster();
  for (unsigned i = threadIdx.x; i < Words; i += blockDim.x)
    chain[i] = (i + 33) % Words * 4; // bytes
  cluster.sync();
  const unsigned ranks = cluster.num_blocks();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    for (unsigned rank = 0; rank < ranks; ++rank) {
      const unsigned base = remote(sharedAddress(chain), rank);
      unsigned at = 0;
      for (int i = 0; i < 64; ++i)
        at = load(base + at);
      const long long begin = clock64();
      for (int i = 0; i < Steps; ++i)
        at = load(base + at);
      cycles[rank] = unsigned((clock64() - begin) / Steps) + (at == 1);
    }
  cluster.sync();
  const long long begin = clock64();
  for (int i = 0; i < 256; ++i)
    cluster.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    cycles[ranks] = unsigned((clock64() - begin) / 256);
}

__global__ void chaseMemory(const unsigned *chain, int steps, unsigned *cycles) {
  unsigned at = 0;
  const long long begin = clock64();
  for (int i = 0; i < steps; ++i)
    at = __ldcg(chain + at);
  *cycles = unsigned((clock64() - begin) / steps) + (at == 1);
}

__global__ void makeChain(unsigned *chain, unsigned count, unsigned step) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
    chain[i] = (i + step) % count;
}

/// Every block reads the shared memory of the next `span` blocks of its cluster in turn (0: its own).
template <bool Store> __global__ void __launch_bounds__(Threads) traffic(unsigned span, uint4 *out) {
  extern __shared__ uint4 slots[];
  const auto cluster = cg::this_cluster();
  const unsigned ranks = cluster.num_blocks(), rank = cluster.block_rank();
  for (unsigned i = threadIdx.x; i < Slots; i += Threads)
    slots[i] = {i, i, i, i};
  cluster.sync();
  uint4 sum = {};
  for (int round = 0; round < Rounds; ++round) {
    const unsigned peer = span ? (rank + 1 + round % span) % ranks : rank;
    const unsigned base = remote(sharedAddress(slots), peer) + threadIdx.x * 16;
    if (Store) {
#pragma unroll
      for (int i = 0; i < Unrolled; ++i)
        store16(base + i * Threads * 16, sum);
    } else {
      uint4 v[Unrolled];
#pragma unroll
      for (int i = 0; i < Unrolled; ++i)
        v[i] = load16(base + i * Threads * 16);
#pragma unroll
      for (int i = 0; i < Unrolled; ++i)
        sum.x ^= v[i].x, sum.y ^= v[i].y, sum.z ^= v[i].z, sum.w ^= v[i].w;
    }
  }
  cluster.sync(); // no block leaves while another still reads or writes its memory
  if (sum.x == 0x12345678)
    out[blockIdx.x] = sum;
}

/// The same loads of as many bytes from L2: every block reads all of `data`, each from elsewhere.
__global__ void __launch_bounds__(Threads) trafficL2(const uint4 *data, unsigned slots, uint4 *out) {
  uint4 sum = {};
  unsigned at = blockIdx.x * Slots;
  for (int round = 0; round < Rounds; ++round, at += Slots * 7) {
    uint4 v[Unrolled];
#pragma unroll
    for (int i = 0; i < Unrolled; ++i)
      v[i] = __ldcg(data + (at + i * Threads + threadIdx.x) % slots);
#pragma unroll
    for (int i = 0; i < Unrolled; ++i)
      sum.x ^= v[i].x, sum.y ^= v[i].y, sum.z ^= v[i].z, sum.w ^= v[i].w;
  }
  if (sum.x == 0x12345678)
    out[blockIdx.x] = sum;
}

class Cluster {
public:
  Cluster(int size, int threads, size_t shared) {
    launch.blockDim = threads, launch.dynamicSmemBytes = shared, launch.stream = stream;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    launch.attrs = &attribute, launch.numAttrs = 1;
  }
  template <typename Kernel> int most(Kernel kernel) {
    require(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cluster size");
    if (launch.dynamicSmemBytes)
      require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(launch.dynamicSmemBytes)),
              "shared");
    launch.gridDim = attribute.val.clusterDim.x;
    int count = 0;
    require(cudaOccupancyMaxActiveClusters(&count, kernel, &launch), "occupancy");
    return count;
  }
  cudaLaunchConfig_t launch{};
  cudaLaunchAttribute attribute{};
};

/// Bytes a second, in TB, of 20 launches in a graph.
static double rate(double bytes, const std::function<void()> &run) {
  const Time time = timeOf(stream, 20, 11, [&] {
    for (int i = 0; i < 20; ++i)
      run();
  });
  return bytes / time.median / 1e6;
}

static void ofSize(int size, uint4 *out, unsigned *cycles) {
  Cluster alone(size, 32, 0);
  alone.most(latency);
  require(cudaLaunchKernelEx(&alone.launch, latency, cycles), "latency");
  require(cudaStreamSynchronize(stream), "latency");
  unsigned found[17];
  require(cudaMemcpy(found, cycles, (size + 1) * sizeof *found, cudaMemcpyDeviceToHost), "latency");
  double far = 0;
  for (int rank = 1; rank < size; ++rank)
    far += double(found[rank]) / (size - 1);
  // One block a multiprocessor: what it does not need of shared memory keeps a second one away.
  Cluster full(size, Threads, 120 << 10);
  const int clusters = full.most(traffic<false>), blocks = clusters * size;
  full.most(traffic<true>);
  full.launch.gridDim = blocks;
  const double bytes = double(blocks) * Rounds * Slots * 16;
  const auto loads = [&](unsigned span) {
    return rate(bytes, [&] { require(cudaLaunchKernelEx(&full.launch, traffic<false>, span, out), "loads"); });
  };
  const auto stores = [&](unsigned span) {
    return rate(bytes, [&] { require(cudaLaunchKernelEx(&full.launch, traffic<true>, span, out), "stores"); });
  };
  std::printf("{\"cluster\": %d, \"own cycles\": %u, \"cycles\": %.0f, \"barrier cycles\": %u, \"blocks\": %d", size,
              found[0], far, found[size], blocks);
  std::printf(", \"own TB/s\": %.2f", loads(0));
  if (size > 1)
    std::printf(", \"next TB/s\": %.2f, \"all TB/s\": %.2f, \"stores TB/s\": %.2f", loads(1), loads(size - 1),
                stores(size - 1));
  std::printf("}\n");
  std::fflush(stdout);
}

static void all() {
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  auto *const out = allocated<uint4>(1024);
  auto *const cycles = allocated<unsigned>(32);
  const auto chase = [&](unsigned words, unsigned step, int before, int steps) {
    auto *const chain = allocated<unsigned>(words);
    makeChain<<<256, 256, 0, stream>>>(chain, words, step);
    if (before)
      chaseMemory<<<1, 1, 0, stream>>>(chain, before, cycles);
    chaseMemory<<<1, 1, 0, stream>>>(chain, steps, cycles);
    require(cudaStreamSynchronize(stream), "chase");
    unsigned found;
    require(cudaMemcpy(&found, cycles, 4, cudaMemcpyDeviceToHost), "chase");
    require(cudaFree(chain), "chase");
    return found;
  };
  // Of 1 MiB a line each time, all read before; of 1 GiB lines far apart, which no cache has.
  const unsigned l2 = chase(1 << 18, 32 * 33, 8192, 8192), memory = chase(1 << 28, 32 * 40961, 0, 4096);
  const unsigned slots = (16 << 20) / 16;
  auto *const data = allocated<uint4>(slots);
  require(cudaMemset(data, 1, slots * 16), "data");
  require(cudaFuncSetAttribute(trafficL2, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10), "shared");
  cudaDeviceProp device;
  require(cudaGetDeviceProperties(&device, 0), "device");
  const int blocks = device.multiProcessorCount;
  const double perSecond = rate(double(blocks) * Rounds * Slots * 16, [&] {
    trafficL2<<<blocks, Threads, 120 << 10, stream>>>(data, slots, out);
    require(cudaGetLastError(), "L2");
  });
  std::printf("{\"cluster\": 0, \"L2 cycles\": %u, \"memory cycles\": %u, \"L2 TB/s\": %.2f}\n", l2, memory, perSecond);
  std::fflush(stdout);
  for (int size : {1, 2, 4, 8, 16})
    try {
      ofSize(size, out, cycles);
    } catch (const std::exception &error) {
      std::printf("{\"cluster\": %d, \"failed\": \"%s\"}\n", size, error.what());
    }
}

int main() {
  try {
    all();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
