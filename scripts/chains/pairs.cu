// Two products by cuBLASLt, E = relu(A B) D, or three and a gate, E = (silu(A B1) * (A B2)) D, in CUDA graphs: with
// full edges and with programmatic ones where the library's kernels wait by themselves (which is tried, not believed),
// on cold inputs and on warm ones; and one kernel that only moves the chain's bytes.
//
// usage: pairs SECONDS < shapes; a shape is a line `name m n k l chain|gated`. A is m x k, B n x k (as a linear layer
// keeps its weights), D l x n, E m x l; halves, sums in single precision.
#include "measure.h"

#include <cooperative_groups.h>
#include <cublasLt.h>
#include <cuda.h>

#include <chrono>
#include <cmath>
#include <iostream>

static constexpr int Candidates = 6;
static constexpr size_t Workspace = 32 << 20;
static constexpr size_t Cold = size_t(192) << 20; // of rotating buffers: more than three times the L2
static cublasLtHandle_t library;
static cudaStream_t stream;

static void require(cublasStatus_t status, const char *what) {
  if (status == CUBLAS_STATUS_SUCCESS)
    return;
  throw std::runtime_error(std::string(what) + ": cuBLAS status " + std::to_string(int(status)));
}

/// A function of the driver's, which the program is not linked with.
template <typename Function> Function driver(const char *name) {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;
  require(cudaGetDriverEntryPointByVersion(name, &function, 13000, cudaEnableDefault, &found), name);
  if (found != cudaDriverEntryPointSuccess)
    throw std::runtime_error(std::string("no ") + name);
  return reinterpret_cast<Function>(function);
}

/// out = f(x w^T): x is rows x inner, w is columns x inner, out is rows x columns.
struct Product {
  cublasLtMatmulDesc_t operation;
  cublasLtMatrixLayout_t w, x, out;
  std::vector<cublasLtMatmulAlgo_t> ways;
  void *workspace = allocated<char>(Workspace);

  Product(int rows, int columns, int inner, cublasLtEpilogue_t epilogue) {
    require(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "product");
    const cublasOperation_t transposed = CUBLAS_OP_T;
    require(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed),
            "product");
    require(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue),
            "product");
    // What is row by row here is column by column there, so that both operands change places.
    require(cublasLtMatrixLayoutCreate(&w, CUDA_R_16F, inner, columns, inner), "layout");
    require(cublasLtMatrixLayoutCreate(&x, CUDA_R_16F, inner, rows, inner), "layout");
    require(cublasLtMatrixLayoutCreate(&out, CUDA_R_16F, columns, rows, columns), "layout");
    cublasLtMatmulPreference_t preference;
    require(cublasLtMatmulPreferenceCreate(&preference), "preference");
    const size_t most = Workspace;
    require(
        cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most),
        "preference");
    cublasLtMatmulHeuristicResult_t found[Candidates];
    int count = 0;
    require(cublasLtMatmulAlgoGetHeuristic(library, operation, w, x, out, out, preference, Candidates, found, &count),
            "heuristic");
    for (int i = 0; i < count; ++i)
      if (found[i].state == CUBLAS_STATUS_SUCCESS)
        ways.push_back(found[i].algo);
    require(cublasLtMatmulPreferenceDestroy(preference), "preference");
  }
  ~Product() {
    cublasLtMatrixLayoutDestroy(w), cublasLtMatrixLayoutDestroy(x), cublasLtMatrixLayoutDestroy(out);
    cublasLtMatmulDescDestroy(operation);
    cudaFree(workspace);
  }
  Product(const Product &) = delete;

  void launch(int way, const __half *from, const __half *weights, __half *to) const {
    const float one = 1, zero = 0;
    require(cublasLtMatmul(library, operation, &one, weights, w, from, x, &zero, to, out, to, out, &ways[way],
                           workspace, Workspace, stream),
            "product");
  }
};

/// g = silu(h[.., first half]) * h[.., second half], eight at a time.
__global__ void gate(const uint4 *__restrict__ h, uint4 *__restrict__ g, int rows, int eighths) {
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * eighths)
    return;
  const int row = i / eighths, at = i % eighths;
  uint4 left = h[size_t(row) * 2 * eighths + at];
  const uint4 right = h[size_t(row) * 2 * eighths + eighths + at];
  __half *a = reinterpret_cast<__half *>(&left);
  const __half *b = reinterpret_cast<const __half *>(&right);
  for (int k = 0; k < 8; ++k) {
    const float x = __half2float(a[k]);
    a[k] = __float2half(x / (1 + __expf(-x)) * __half2float(b[k]));
  }
  g[i] = left;
}

/// Lets the next kernel begin at once, and gives it its input only after `cycles`.
__global__ void slowCopy(const uint4 *from, uint4 *to, size_t count, long long cycles) {
  cudaTriggerProgrammaticLaunchCompletion();
  for (const long long begin = clock64(); clock64() - begin < cycles;)
    ;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(blockDim.x) * gridDim.x)
    to[i] = from[i];
}

/// A kernel that does not wait: what the trial of the edges must find wrong.
__global__ void hasty(const uint4 *from, uint4 *to, size_t count) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(blockDim.x) * gridDim.x)
    to[i] = __ldcg(from + i);
}

__global__ void stamp(unsigned long long *to) { asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(*to)); }
__global__ void nothing() {
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
}

/// Reads the inputs once, passes a value through distributed shared memory, writes the output: no kernel that computes
/// the chain, with one exchange, is faster.
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(1024)
    onlyBytes(const uint4 *a, size_t na, const uint4 *b, size_t nb, const uint4 *d, size_t nd, uint4 *e, size_t ne) {
  const size_t first = blockIdx.x * size_t(blockDim.x) + threadIdx.x, step = size_t(blockDim.x) * gridDim.x;
  uint4 sum = {};
  const auto at = [&](size_t i) { return __ldcs(i < na ? a + i : i < na + nb ? b + (i - na) : d + (i - na - nb)); };
  const auto add = [&](uint4 x) { sum.x ^= x.x, sum.y ^= x.y, sum.z ^= x.z, sum.w ^= x.w; };
  const size_t all = na + nb + nd;
  size_t i = first;
  for (; i + 3 * step < all; i += 4 * step) {
    const uint4 w = at(i), x = at(i + step), y = at(i + 2 * step), z = at(i + 3 * step);
    add(w), add(x), add(y), add(z);
  }
  for (; i < all; i += step)
    add(at(i));
  __shared__ uint4 slot[1024];
  slot[threadIdx.x] = sum;
  const auto cluster = cooperative_groups::this_cluster();
  cluster.sync();
  add(*cluster.map_shared_rank(&slot[threadIdx.x], cluster.block_rank() ^ 1));
  cluster.sync(); // no block leaves while its neighbour may still read
  for (size_t i = first; i < ne; i += step)
    e[i] = sum;
}

/// Blocks of it that run at once.
static int resident(int threads) {
  cudaLaunchConfig_t launch{};
  launch.gridDim = 132, launch.blockDim = threads;
  cudaLaunchAttribute size{};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim.x = 4, size.val.clusterDim.y = size.val.clusterDim.z = 1;
  launch.attrs = &size, launch.numAttrs = 1;
  int clusters = 0;
  require(cudaOccupancyMaxActiveClusters(&clusters, onlyBytes, &launch), "occupancy");
  return 4 * std::min(clusters, 66);
}

struct Shape {
  std::string name;
  int m, n, k, l;
  bool gated;
};

/// Which edges between the kernels of a chain are programmatic: that to the gate, which waits, or that to the second
/// product, too.
enum class Early { Never, Gate, All };

struct Set {
  __half *a, *b, *d, *e;
};

class Chain {
public:
  explicit Chain(const Shape &shape)
      : s(shape), width(s.gated ? 2 * s.n : s.n),
        up(s.m, width, s.k, s.gated ? CUBLASLT_EPILOGUE_DEFAULT : CUBLASLT_EPILOGUE_RELU),
        down(s.m, s.l, s.n, CUBLASLT_EPILOGUE_DEFAULT) {
    const size_t na = size_t(s.m) * s.k, nb = size_t(width) * s.k, nd = size_t(s.l) * s.n, ne = size_t(s.m) * s.l;
    const size_t bytes = 2 * (na + nb + nd + ne);
    const size_t count = std::clamp<size_t>(Cold / bytes + 1, 2, 400);
    memory = allocated<__half>(count * bytes / 2 + 1024 * 4 * count);
    __half *next = memory;
    const auto take = [&](size_t elements, float scale) {
      __half *const own = next;
      next += (elements + 127) / 128 * 128;
      if (scale > 0)
        fill<<<1024, 256>>>(own, elements, unsigned(next - memory), scale);
      return own;
    };
    for (size_t i = 0; i < count; ++i)
      sets.push_back(
          {take(na, 1), take(nb, 1.0f / std::sqrt(float(s.k))), take(nd, 1.0f / std::sqrt(float(s.n))), take(ne, 0)});
    h = allocated<__half>(size_t(s.m) * width);
    g = s.gated ? allocated<__half>(size_t(s.m) * s.n) : h;
    kept = allocated<__half>(std::max(ne, size_t(s.m) * s.n));
    require(cudaDeviceSynchronize(), "fill");
    const double us =
        std::max(4.0, 3e6 * std::max(2.0 * s.m * (double(s.k) * width + double(s.n) * s.l) / 989e12, bytes / 4e12));
    passes = std::max<int>(1, int(std::min(64.0, 1500 / us)) / int(count)) * int(count);
    warmPasses = std::max(4, int(std::min(100.0, 1000 / us)));
  }
  ~Chain() {
    cudaFree(memory), cudaFree(h), cudaFree(kept);
    if (s.gated)
      cudaFree(g);
  }
  Chain(const Chain &) = delete;

  void once(const Set &set, int first, int second, Early early) const {
    up.launch(first, set.a, set.b, h);
    if (s.gated) {
      if (early != Early::Never)
        nextIsProgrammatic(stream);
      const int all = s.m * s.n / 8;
      gate<<<(all + 255) / 256, 256, 0, stream>>>(reinterpret_cast<uint4 *>(h), reinterpret_cast<uint4 *>(g), s.m,
                                                  s.n / 8);
    }
    if (early == Early::All)
      nextIsProgrammatic(stream);
    down.launch(second, g, set.d, set.e);
  }
  Time time(bool cold, int samples, const std::function<void(const Set &)> &run) const {
    const int count = cold ? passes : warmPasses;
    return timeOf(stream, count, samples, [&] {
      for (int i = 0; i < count; ++i)
        run(sets[cold ? i % sets.size() : 0]);
    });
  }
  double quick(int first, int second, Early early) const {
    return time(true, 5, [&](const Set &set) { once(set, first, second, early); }).median;
  }

  /// Whether this kernel of the second product waits for what is before it: its input is written only after it may
  /// begin.
  bool waits(int second) const {
    const size_t count = size_t(s.m) * s.n, results = size_t(s.m) * s.l;
    const Set &set = sets[0];
    once({set.a, set.b, set.d, sets[1].e}, 0, second, Early::Never);
    require(cudaMemcpyAsync(kept, g, count * 2, cudaMemcpyDeviceToDevice, stream), "copy");
    require(cudaMemsetAsync(g, 0, count * 2, stream), "clear");
    require(cudaMemsetAsync(set.e, 0, results * 2, stream), "clear");
    cudaGraphNodeType begins = cudaGraphNodeTypeEmpty;
    const cudaGraphExec_t graph = graphOf(stream, [&] {
      slowCopy<<<32, 256, 0, stream>>>(reinterpret_cast<uint4 *>(kept), reinterpret_cast<uint4 *>(g), count / 8, 60000);
      cudaStreamCaptureStatus status;
      cudaGraph_t captured;
      size_t before = 0, after = 0;
      require(cudaStreamGetCaptureInfo(stream, &status, nullptr, &captured, nullptr, nullptr, nullptr), "capture");
      nextIsProgrammatic(stream);
      require(cudaGraphGetNodes(captured, nullptr, &before), "nodes");
      down.launch(second, g, set.d, set.e);
      require(cudaGraphGetNodes(captured, nullptr, &after), "nodes");
      std::vector<cudaGraphNode_t> nodes(after);
      require(cudaGraphGetNodes(captured, nodes.data(), &after), "nodes");
      require(cudaGraphNodeGetType(nodes[before], &begins), "nodes");
    });
    require(cudaGraphLaunch(graph, stream), "trial");
    require(cudaStreamSynchronize(stream), "trial");
    require(cudaGraphExecDestroy(graph), "graph");
    // What begins with a memset is right, too, and overlaps nothing.
    return begins == cudaGraphNodeTypeKernel && same(set.e, sets[1].e, results);
  }

  /// Microseconds before its end that the first product lets another kernel begin.
  double earliness(int first) const {
    static auto *const times = allocated<unsigned long long>(2);
    const cudaGraphExec_t graph = graphOf(stream, [&] {
      up.launch(first, sets[0].a, sets[0].b, h);
      cudaStreamCaptureStatus status;
      const cudaGraphNode_t *last;
      size_t count = 0;
      require(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, nullptr, &count), "capture");
      cudaGraphNode_t product = *last;
      nextIsProgrammatic(stream);
      stamp<<<1, 1, 0, stream>>>(times);
      require(cudaStreamUpdateCaptureDependencies(stream, &product, nullptr, 1, cudaStreamAddCaptureDependencies),
              "edge");
      stamp<<<1, 1, 0, stream>>>(times + 1);
    });
    std::vector<double> early;
    for (int i = 0; i < 9; ++i) {
      require(cudaGraphLaunch(graph, stream), "trial");
      require(cudaStreamSynchronize(stream), "trial");
      unsigned long long found[2];
      require(cudaMemcpy(found, times, sizeof found, cudaMemcpyDeviceToHost), "trial");
      early.push_back((double(found[1]) - double(found[0])) / 1000);
    }
    require(cudaGraphExecDestroy(graph), "graph");
    std::sort(early.begin(), early.end());
    return early[4];
  }

  /// The best of both products' ways, one after the other.
  std::pair<int, int> best(const std::vector<int> &seconds, Early early) const {
    int first = 0, second = seconds[0];
    double least = quick(first, second, early);
    const auto attempt = [&](int i, int j) {
      try {
        const double us = quick(i, j, early);
        if (us < least)
          least = us, first = i, second = j;
      } catch (const std::exception &) { // not every way can be captured
      }
    };
    for (int j : seconds)
      if (j != second)
        attempt(0, j);
    for (int i = 1; i < int(up.ways.size()); ++i)
      attempt(i, second);
    return {first, second};
  }

  /// The kernels of a pair, as a list in JSON.
  std::string kernels(std::pair<int, int> ways) const {
    cudaGraph_t graph;
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    once(sets[0], ways.first, ways.second, Early::Never);
    require(cudaStreamEndCapture(stream, &graph), "capture");
    cudaGraphNode_t nodes[8];
    size_t count = 8;
    require(cudaGraphGetNodes(graph, nodes, &count), "nodes");
    std::string list;
    static const auto parametersOf = driver<decltype(&cuGraphKernelNodeGetParams)>("cuGraphKernelNodeGetParams");
    static const auto functionName = driver<decltype(&cuFuncGetName)>("cuFuncGetName");
    static const auto kernelName = driver<decltype(&cuKernelGetName)>("cuKernelGetName");
    for (size_t i = 0; i < count; ++i) {
      CUDA_KERNEL_NODE_PARAMS parameters{};
      const char *name = "another node";
      if (parametersOf(nodes[i], &parameters) == CUDA_SUCCESS &&
          (parameters.func ? functionName(&name, parameters.func) : kernelName(&name, parameters.kern)) != CUDA_SUCCESS)
        name = "a kernel";
      list += (i ? ", \"" : "\"") + std::string(name).substr(0, 80) + "\"";
    }
    require(cudaGraphDestroy(graph), "graph");
    return ", \"kernels\": [" + list + "]";
  }

  void print(const char *way, const std::string &times, const std::string &more = "") const {
    std::printf("{\"case\": \"%s\", \"way\": \"%s\", %s%s}\n", s.name.c_str(), way, times.c_str(), more.c_str());
    std::fflush(stdout);
  }
  std::string both(const std::function<void(const Set &)> &run) const {
    return "\"cold\": " + time(true, 15, run).json() + ", \"warm\": " + time(false, 15, run).json();
  }
  std::string pair(std::pair<int, int> ways, Early early) const {
    return both([&](const Set &set) { once(set, ways.first, ways.second, early); });
  }

  void measure(bool edges) const {
    const size_t na = size_t(s.m) * s.k / 8, nb = size_t(width) * s.k / 8, nd = size_t(s.l) * s.n / 8,
                 ne = size_t(s.m) * s.l / 8;
    for (int threads : {256, 512, 1024})
      print("bytes", both([&](const Set &set) {
              onlyBytes<<<resident(threads), threads, 0, stream>>>(
                  reinterpret_cast<uint4 *>(set.a), na, reinterpret_cast<uint4 *>(set.b), nb,
                  reinterpret_cast<uint4 *>(set.d), nd, reinterpret_cast<uint4 *>(set.e), ne);
              require(cudaGetLastError(), "bytes");
            }),
            ", \"threads\": " + std::to_string(threads) + ", \"bytes\": " + std::to_string(16 * (na + nb + nd + ne)) +
                ", \"flops\": " + std::to_string(2.0 * s.m * (double(s.k) * width + double(s.n) * s.l)));
    std::vector<int> all(down.ways.size()), patient;
    for (int j = 0; j < int(all.size()); ++j)
      all[j] = j;
    print("cublasLt", pair({0, 0}, Early::Never));
    const auto plain = best(all, Early::Never);
    char what[160];
    std::snprintf(what, sizeof what, ", \"ways\": [%d, %d]", plain.first, plain.second);
    const auto named = [&](std::pair<int, int> ways) {
      try {
        return kernels(ways);
      } catch (const std::exception &error) {
        return ", \"unnamed\": \"" + std::string(error.what()) + "\"";
      }
    };
    print("cublasLt best", pair(plain, Early::Never),
          what + (edges ? ", \"early\": " + std::to_string(earliness(plain.first)) : "") + named(plain));
    if (!edges)
      return;
    for (int j : all)
      try {
        if (waits(j))
          patient.push_back(j);
      } catch (const std::exception &) {
      }
    const std::string counts =
        ", \"wait\": " + std::to_string(patient.size()) + ", \"of\": " + std::to_string(down.ways.size());
    if (patient.empty()) {
      print("programmatic", s.gated ? pair(plain, Early::Gate) : "\"none\": true", counts);
      return;
    }
    const auto chosen = best(patient, Early::All);
    const std::string times = pair(chosen, Early::All);
    // What was timed last is right: the first set's result is that of full edges.
    once(sets[0], chosen.first, chosen.second, Early::Never);
    require(cudaMemcpyAsync(kept, sets[0].e, ne * 16, cudaMemcpyDeviceToDevice, stream), "copy");
    const cudaGraphExec_t graph = graphOf(stream, [&] { once(sets[0], chosen.first, chosen.second, Early::All); });
    bool right = true;
    for (int i = 0; i < 20; ++i) {
      require(cudaMemsetAsync(sets[0].e, 0, ne * 16, stream), "clear");
      require(cudaMemsetAsync(h, 0, size_t(s.m) * width * 2, stream), "clear");
      require(cudaGraphLaunch(graph, stream), "trial");
      require(cudaStreamSynchronize(stream), "trial");
      right &= same(sets[0].e, kept, ne * 8);
    }
    require(cudaGraphExecDestroy(graph), "graph");
    std::snprintf(what, sizeof what, ", \"ways\": [%d, %d], \"early\": %.2f, \"right\": %s", chosen.first,
                  chosen.second, earliness(chosen.first), right ? "true" : "false");
    print("programmatic", times, what + counts + named(chosen));
  }

private:
  Shape s;
  int width;
  Product up, down;
  std::vector<Set> sets;
  __half *memory, *h, *g, *kept;
  int passes, warmPasses;
};

/// Whether programmatic edges overlap kernels at all here: a kernel that does not wait must find its input not yet
/// written.
static bool edgesOverlap() {
  const size_t count = 1 << 16;
  auto *a = allocated<__half>(count), *b = allocated<__half>(count), *c = allocated<__half>(count);
  fill<<<64, 256>>>(a, count, 1, 1);
  require(cudaMemset(b, 0, count * 2), "clear");
  require(cudaDeviceSynchronize(), "clear");
  const cudaGraphExec_t graph = graphOf(stream, [&] {
    slowCopy<<<32, 256, 0, stream>>>(reinterpret_cast<uint4 *>(a), reinterpret_cast<uint4 *>(b), count / 8, 60000);
    nextIsProgrammatic(stream);
    hasty<<<32, 256, 0, stream>>>(reinterpret_cast<uint4 *>(b), reinterpret_cast<uint4 *>(c), count / 8);
  });
  require(cudaGraphLaunch(graph, stream), "trial");
  require(cudaStreamSynchronize(stream), "trial");
  return !same(c, a, count);
}

static void all(double budget) {
  const auto begin = std::chrono::steady_clock::now();
  require(cublasLtCreate(&library), "cuBLASLt");
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  bool edges = false;
  try {
    edges = edgesOverlap();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "programmatic edges: %s\n", error.what());
  }
  const auto launches = [](bool programmatic) {
    return timeOf(stream, 400, 25, [&] {
      for (int i = 0; i < 400; ++i) {
        if (i > 0 && programmatic)
          nextIsProgrammatic(stream);
        nothing<<<132, 128, 0, stream>>>();
      }
    });
  };
  std::printf("{\"library\": %zu, \"overlap\": %s, \"launch\": %s, \"programmatic launch\": %s}\n",
              cublasLtGetVersion(), edges ? "true" : "false", launches(false).json().c_str(),
              (edges ? launches(true) : Time{}).json().c_str());
  std::fflush(stdout);
  Shape shape;
  for (std::string kind; std::cin >> shape.name >> shape.m >> shape.n >> shape.k >> shape.l >> kind;) {
    shape.gated = kind == "gated";
    try {
      if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > budget)
        throw std::runtime_error("no time left");
      Chain(shape).measure(edges);
    } catch (const std::exception &error) {
      std::printf("{\"case\": \"%s\", \"way\": \"failed\", \"what\": \"%s\"}\n", shape.name.c_str(), error.what());
    }
  }
}

int main(int, char **arguments) {
  try {
    all(std::atof(arguments[1]));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
