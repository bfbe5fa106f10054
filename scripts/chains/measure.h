// What the programs of scripts/bench-chains share: errors, contents of buffers, and the time of a graph.
// Each result is one line of JSON on standard output as soon as it is known.
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

inline void require(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  cudaGetLastError(); // that the next one is not taken for this
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// Reproducible numbers of a mean of zero: sums of products stay in the range of half precision.
__global__ void fill(__half *data, size_t count, unsigned seed, float scale) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(blockDim.x) * gridDim.x) {
    unsigned h = (unsigned(i) + seed) * 0x9e3779b9u;
    h = (h ^ (h >> 15)) * 0x85ebca6bu;
    h ^= h >> 13;
    data[i] = __float2half((float(h >> 8) * 0x1p-23f - 1.0f) * scale);
  }
}

/// The largest difference, and the largest value of `b`.
__global__ void differences(const __half *a, const __half *b, size_t count, float *most) {
  float apart = 0, large = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(blockDim.x) * gridDim.x) {
    const float x = __half2float(a[i]), y = __half2float(b[i]);
    const float difference = fabsf(x - y);
    apart = fmaxf(apart, difference == difference ? difference : 1e30f); // a NaN is a difference
    large = fmaxf(large, fabsf(y));
  }
  atomicMax(reinterpret_cast<int *>(most), __float_as_int(apart)); // floats that are not negative order as integers
  atomicMax(reinterpret_cast<int *>(most + 1), __float_as_int(large));
}

/// Whether `a` is `b` but for the rounding of half-precision results and the order of sums.
inline bool same(const __half *a, const __half *b, size_t count) {
  static float *most = nullptr;
  if (!most)
    require(cudaMalloc(&most, 8), "memory");
  require(cudaMemset(most, 0, 8), "memset");
  differences<<<512, 256>>>(a, b, count, most);
  float found[2];
  require(cudaMemcpy(found, most, 8, cudaMemcpyDeviceToHost), "compare");
  return found[1] > 0 && found[0] <= 4e-3f * found[1];
}

/// Quartiles of microseconds.
struct Time {
  double low, median, high;
  std::string json() const {
    char text[128];
    std::snprintf(text, sizeof text, "{\"us\": %.3f, \"low\": %.3f, \"high\": %.3f}", median, low, high);
    return text;
  }
};

/// What `record` puts into the stream, as a graph.
inline cudaGraphExec_t graphOf(cudaStream_t stream, const std::function<void()> &record) {
  cudaGraph_t graph;
  cudaGraphExec_t launch;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
  try {
    record();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);
    cudaGetLastError();
    throw;
  }
  require(cudaStreamEndCapture(stream, &graph), "capture");
  require(cudaGraphInstantiate(&launch, graph, 0), "graph");
  require(cudaGraphDestroy(graph), "graph");
  return launch;
}

/// Microseconds of each of `runs` that one replay of the graph has.
inline Time timeOf(cudaGraphExec_t graph, cudaStream_t stream, int runs, int samples, int before = 3) {
  cudaEvent_t begin, end;
  require(cudaEventCreate(&begin), "event");
  require(cudaEventCreate(&end), "event");
  std::vector<double> times;
  for (int i = 0; i < before + samples; ++i) {
    require(cudaEventRecord(begin, stream), "event");
    require(cudaGraphLaunch(graph, stream), "replay");
    require(cudaEventRecord(end, stream), "event");
    require(cudaEventSynchronize(end), "replay");
    float ms;
    require(cudaEventElapsedTime(&ms, begin, end), "event");
    if (i >= before)
      times.push_back(1000.0 * ms / runs);
  }
  require(cudaEventDestroy(begin), "event");
  require(cudaEventDestroy(end), "event");
  std::sort(times.begin(), times.end());
  return {times[times.size() / 4], times[times.size() / 2], times[times.size() * 3 / 4]};
}

inline Time timeOf(cudaStream_t stream, int runs, int samples, const std::function<void()> &record) {
  const cudaGraphExec_t graph = graphOf(stream, record);
  const Time time = timeOf(graph, stream, runs, samples);
  require(cudaGraphExecDestroy(graph), "graph");
  return time;
}

/// The next kernel node that the stream captures may begin before the last one has ended: it waits by itself.
inline void nextIsProgrammatic(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *last;
  size_t count = 0;
  require(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, nullptr, &count), "capture");
  if (count != 1)
    throw std::runtime_error("no single node is the last");
  cudaGraphNode_t node = *last;
  cudaGraphEdgeData edge{};
  edge.from_port = cudaGraphKernelNodePortProgrammatic;
  edge.type = cudaGraphDependencyTypeProgrammatic;
  require(cudaStreamUpdateCaptureDependencies(stream, &node, &edge, 1, cudaStreamSetCaptureDependencies), "edge");
}

template <typename T> T *allocated(size_t count) {
  void *data;
  require(cudaMalloc(&data, count * sizeof(T)), "memory");
  return static_cast<T *>(data);
}
