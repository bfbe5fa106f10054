// Two products as two launches, and by the same tile code as one persistent kernel: it draws the tiles of both from one
// queue, those of the second product some panels behind, and a counter for each panel of 128 rows says when the panel
// is whole. A tile waits only for tiles that were drawn before it.
//
// usage: ordered < shapes; a shape is a line `name m n k l`, multiples of 256 but k, of 64: E = relu(A B) D, weights n
// x k, l x n.
#include "measure.h"
#include "warpgroup.h"

#include <cmath>
#include <iostream>

static constexpr int Rows = 128, Columns = 256, Depth = 64, Stages = 4, Threads = 256;
static constexpr int StageBytes = (Rows + Columns) * Depth * 2;
static constexpr int SharedBytes = Stages * StageBytes + 1024;
static cudaStream_t stream;

struct Product {
  const __half *a, *b; // rows x inner, columns x inner
  __half *c;
  int rows, columns, inner;
  bool relu;
};

/// 128 x 256 of c by two warpgroups.
__device__ void tile(const Product &p, int row, int column, unsigned shared) {
  const int group = threadIdx.x / 128, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const auto fetch = [&](int step) {
    if (step * Depth < p.inner) {
      const unsigned a = shared + step % Stages * StageBytes, b = a + Rows * Depth * 2;
#pragma unroll
      for (int i = 0; i < Rows * 8 / Threads; ++i) {
        const int own = threadIdx.x / 8 + i * (Threads / 8), piece = threadIdx.x % 8;
        copyAsync(a + swizzled(own, piece), p.a + size_t(row + own) * p.inner + step * Depth + piece * 8);
      }
#pragma unroll
      for (int i = 0; i < Columns * 8 / Threads; ++i) {
        // The columns change places so that a thread has eight of them side by side in four accumulators.
        const int own = threadIdx.x / 8 + i * (Threads / 8), piece = threadIdx.x % 8;
        const int from = own / 32 * 32 + own % 8 / 2 * 8 + own % 32 / 8 * 2 + own % 2;
        copyAsync(b + swizzled(own, piece), p.b + size_t(column + from) * p.inner + step * Depth + piece * 8);
      }
    }
    commitCopies();
  };
  float sum[128];
  __syncthreads(); // the last tile's stages are read
  for (int step = 0; step < Stages - 2; ++step)
    fetch(step);
  for (int step = 0; step * Depth < p.inner; ++step) {
    waitForCopies<Stages - 3>();
    fenceForProducts();
    __syncthreads();
    const unsigned a = shared + step % Stages * StageBytes + group * 64 * 128, b = a + (Rows - group * 64) * Depth * 2;
    beginProducts();
#pragma unroll
    for (int k = 0; k < Depth / 16; ++k)
      multiplyAdd(sum, descriptor(a + k * 32), descriptor(b + k * 32), step + k > 0);
    commitProducts();
    fetch(step + Stages - 2); // where all have read two steps ago
    waitForProducts<1>();
  }
  waitForProducts<0>();
  waitForCopies<0>();
#pragma unroll
  for (int i = 0; i < 128; ++i) // no sum is taken from its register before here
    asm volatile("" : "+f"(sum[i])::"memory");
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int j = 0; j < Columns / 32; ++j) {
      float v[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        v[i] = sum[j * 16 + i / 2 * 4 + h * 2 + i % 2];
        v[i] = p.relu ? fmaxf(v[i], 0) : v[i];
      }
      const uint4 out = {halves(v[0], v[1]), halves(v[2], v[3]), halves(v[4], v[5]), halves(v[6], v[7])};
      const size_t at = size_t(row + warp * 16 + h * 8 + lane / 4) * p.columns + column + j * 32 + lane % 4 * 8;
      *reinterpret_cast<uint4 *>(p.c + at) = out;
    }
}

__device__ unsigned aligned(const void *memory) { return (sharedAddress(memory) + 1023) / 1024 * 1024; }

/// One of the two launches. The grid is of as many blocks as tiles, or of fewer, which stay.
__global__ void __launch_bounds__(Threads, 1) product(const __grid_constant__ Product p) {
  extern __shared__ uint4 stages[];
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  const int across = p.columns / Columns, tiles = p.rows / Rows * across;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x)
    tile(p, t / across * Rows, t % across * Columns, aligned(stages));
}

struct Products {
  Product of[2];
};

struct Queue {
  unsigned next, left, whole[1022];
};

__global__ void __launch_bounds__(Threads, 1) ordered(const __grid_constant__ Products both, int behind, Queue *queue) {
  extern __shared__ uint4 stages[];
  __shared__ unsigned drawn;
  const unsigned panels = both.of[0].rows / Rows, first = both.of[0].columns / Columns,
                 second = both.of[1].columns / Columns;
  const unsigned head = behind * first, middle = head + (panels - behind) * (first + second),
                 all = panels * (first + second);
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0)
      drawn = atomicAdd(&queue->next, 1);
    __syncthreads();
    unsigned at = drawn;
    if (at >= all)
      break;
    bool isUp = true;
    unsigned panel, column;
    if (at < head) {
      panel = at / first, column = at % first;
    } else if (at < middle) {
      at -= head;
      panel = behind + at / (first + second), column = at % (first + second);
      if (column >= first)
        isUp = false, panel -= behind, column -= first;
    } else {
      at -= middle;
      isUp = false, panel = panels - behind + at / second, column = at % second;
    }
    if (!isUp) {
      if (threadIdx.x == 0)
        for (unsigned done = 0; done < first;)
          asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(done) : "l"(queue->whole + panel) : "memory");
      __syncthreads();
    }
    tile(both.of[isUp ? 0 : 1], panel * Rows, column * Columns, aligned(stages));
    if (isUp) {
      __syncthreads();
      if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(queue->whole + panel, 1);
      }
    }
  }
  // The last block leaves the queue as it was.
  if (threadIdx.x == 0 && atomicAdd(&queue->left, 1) == gridDim.x - 1) {
    for (unsigned panel = 0; panel < panels; ++panel)
      queue->whole[panel] = 0;
    queue->next = queue->left = 0;
  }
}

/// A row of the chain, by its definition.
__global__ void byDefinition(const __half *a, const __half *b, const __half *d, __half *e, int n, int k, int l,
                             int row) {
  extern __shared__ float h[];
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    float sum = 0;
    for (int i = 0; i < k; ++i)
      sum += __half2float(a[size_t(row) * k + i]) * __half2float(b[size_t(j) * k + i]);
    h[j] = __half2float(__float2half(fmaxf(sum, 0)));
  }
  __syncthreads();
  for (int j = threadIdx.x; j < l; j += blockDim.x) {
    float sum = 0;
    for (int i = 0; i < n; ++i)
      sum += h[i] * __half2float(d[size_t(j) * n + i]);
    e[j] = __float2half(sum);
  }
}

static void measure(const std::string &name, int m, int n, int k, int l, int processors) {
  const size_t na = size_t(m) * k, nb = size_t(n) * k, nd = size_t(l) * n, ne = size_t(m) * l;
  const int sets = std::max<int>(2, int((192u << 20) / (2 * (na + nb + nd + ne))) + 1),
            passes = sets * std::max(1, 10 / sets);
  std::vector<Product> ups, downs;
  std::vector<__half *> memory;
  const auto take = [&](size_t count, float scale) {
    memory.push_back(allocated<__half>(count));
    if (scale > 0)
      fill<<<1024, 256>>>(memory.back(), count, unsigned(memory.size() * 7919), scale);
    return memory.back();
  };
  __half *const c = take(size_t(m) * n, 0);
  for (int i = 0; i < sets; ++i) {
    ups.push_back({take(na, 1), take(nb, 1 / std::sqrt(float(k))), c, m, n, k, true});
    downs.push_back({c, take(nd, 1 / std::sqrt(float(n))), take(ne, 0), m, l, n, false});
  }
  auto *const queue = allocated<Queue>(1);
  __half *const row = take(l, 0), *const expected = take(ne, 0);
  require(cudaMemset(queue, 0, sizeof *queue), "queue");
  require(cudaDeviceSynchronize(), "fill");
  const int shared = SharedBytes, resident = processors;
  require(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
  require(cudaFuncSetAttribute(ordered, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
  const auto apart = [&](int set, bool persistent, bool programmatic) {
    const auto grid = [&](const Product &p) {
      const int tiles = p.rows / Rows * (p.columns / Columns);
      return persistent ? std::min(tiles, resident) : tiles;
    };
    product<<<grid(ups[set]), Threads, shared, stream>>>(ups[set]);
    if (programmatic)
      nextIsProgrammatic(stream);
    product<<<grid(downs[set]), Threads, shared, stream>>>(downs[set]);
    require(cudaGetLastError(), "products");
  };
  const auto together = [&](int set, int behind) {
    ordered<<<resident, Threads, shared, stream>>>(Products{{ups[set], downs[set]}}, behind, queue);
    require(cudaGetLastError(), "ordered");
  };
  const auto right = [&](const std::function<void()> &run) {
    require(cudaMemsetAsync(c, 0xff, size_t(m) * n * 2, stream), "clear");
    require(cudaMemsetAsync(downs[0].c, 0xff, ne * 2, stream), "clear");
    run();
    require(cudaStreamSynchronize(stream), "run");
  };
  const auto print = [&](const char *way, bool isRight, const std::function<void(int)> &run,
                         const std::string &more = "") {
    const Time time = timeOf(stream, passes, 15, [&] {
      for (int i = 0; i < passes; ++i)
        run(i % sets);
    });
    std::printf("{\"case\": \"%s\", \"way\": \"%s\", \"right\": %s, \"cold\": %s%s}\n", name.c_str(), way,
                isRight ? "true" : "false", time.json().c_str(), more.c_str());
    std::fflush(stdout);
  };
  right([&] { apart(0, false, false); });
  bool good = true;
  for (int i : {0, m / 2 + 5, m - 1}) {
    byDefinition<<<1, 512, n * sizeof(float), stream>>>(ups[0].a, ups[0].b, downs[0].b, row, n, k, l, i);
    require(cudaStreamSynchronize(stream), "definition");
    good &= same(downs[0].c + size_t(i) * l, row, l);
  }
  require(cudaMemcpy(expected, downs[0].c, ne * 2, cudaMemcpyDeviceToDevice), "keep");
  print("two launches", good, [&](int set) { apart(set, false, false); });
  print("two launches, programmatic", good, [&](int set) { apart(set, false, true); });
  print("two persistent launches", good, [&](int set) { apart(set, true, false); });
  const int panels = m / Rows;
  for (int behind : {1, 2, 4, 8, 12, 16, 24, 32})
    if (behind <= panels) {
      right([&] { together(0, behind); });
      const bool isRight = same(downs[0].c, expected, ne);
      print("ordered", isRight, [&](int set) { together(set, behind); }, ", \"behind\": " + std::to_string(behind));
    }
  for (__half *each : memory)
    cudaFree(each);
  cudaFree(queue);
}

int main() {
  try {
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    cudaDeviceProp device;
    require(cudaGetDeviceProperties(&device, 0), "device");
    std::string name;
    for (int m, n, k, l; std::cin >> name >> m >> n >> k >> l;)
      measure(name, m, n, k, l, device.multiProcessorCount);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
