// More dynamic shared memory than a kernel may have unasked: in two sizes by turns, on every device, after a reset of the
// device, from several threads at once and inside a graph. More than there is stays an error.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:reversed %t/kernels.cu:rotated --block 64 --block 128 --name beside -o %t/beside.cu
// RUN: %cufuse fuse %t/kernels.cu:reversed %t/kernels.cu:rotated --block 64 --block 128 --grid-policy stride \
// RUN:   --name resident -o %t/resident.cu
// RUN: %execute -I %t %t/main.cu %t/beside.cu %t/resident.cu

//--- kernels.cu
extern __shared__ int words[];

/// `count` words per block, the last of them first.
__global__ void reversed(const int *in, int *out, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    words[i] = in[blockIdx.x * count + i];
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    out[blockIdx.x * count + i] = words[count - 1 - i];
}

__global__ void rotated(const int *in, int *out, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    words[i] = in[blockIdx.x * count + i];
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    out[blockIdx.x * count + i] = words[(i + 1) % count];
}

//--- main.cu
#include "beside.h"
#include "resident.h"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static void require(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

constexpr int Blocks = 3, Most = 24 * 1024;

struct Data {
  int *in, *first, *second;
  Data() {
    std::vector<int> numbers(Blocks * Most);
    for (int i = 0; i < Blocks * Most; ++i)
      numbers[i] = i;
    for (int **memory : {&in, &first, &second})
      require(cudaMalloc(reinterpret_cast<void **>(memory), numbers.size() * sizeof(int)), "cudaMalloc");
    require(cudaMemcpy(in, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
};

template <typename A, typename B>
static cudaError_t launch(cudaError_t (*fused)(const A &, const B &, cudaStream_t), const Data &data, int count,
                          cudaStream_t stream) {
  const std::size_t bytes = count * sizeof(int);
  return fused({dim3(Blocks), bytes, {data.in, data.first, count}}, {dim3(Blocks), bytes, {data.in, data.second, count}},
               stream);
}

static void check(const Data &data, int count, const char *what) {
  std::vector<int> first(Blocks * count), second(Blocks * count);
  require(cudaDeviceSynchronize(), what);
  require(cudaMemcpy(first.data(), data.first, first.size() * sizeof(int), cudaMemcpyDeviceToHost), what);
  require(cudaMemcpy(second.data(), data.second, second.size() * sizeof(int), cudaMemcpyDeviceToHost), what);
  require(cudaMemset(data.first, 0xff, first.size() * sizeof(int)), what);
  require(cudaMemset(data.second, 0xff, second.size() * sizeof(int)), what);
  for (int block = 0; block < Blocks; ++block)
    for (int i = 0; i < count; ++i)
      if (first[block * count + i] != block * count + count - 1 - i ||
          second[block * count + i] != block * count + (i + 1) % count) {
        std::printf("%s: differs at block %d, %d of %d\n", what, block, i, count);
        std::exit(1);
      }
}

template <typename Fused> static void runs(Fused fused, const char *what) {
  const Data data;
  for (int count : {64, 14000, 24 * 1024, 14000, 64, 24 * 1024}) {
    require(launch(fused, data, count, nullptr), what);
    check(data, count, what);
  }
}

template <typename Fused> static void runsInAGraph(Fused fused, const char *what) {
#ifndef CUDA_EMULATED // the emulator has neither graphs nor threads that launch
  const Data data;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  require(cudaStreamCreate(&stream), what);
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), what);
  require(launch(fused, data, 20000, stream), what);
  require(cudaStreamEndCapture(stream, &graph), what);
  require(cudaGraphInstantiate(&executable, graph, 0), what);
  for (int round = 0; round < 2; ++round) {
    require(cudaGraphLaunch(executable, stream), what);
    check(data, 20000, what);
  }
#endif
}

template <typename Fused> static void runsInThreads(Fused fused, const char *what) {
#ifndef CUDA_EMULATED // the emulator has neither graphs nor threads that launch
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number)
    threads.emplace_back([=] {
      const Data data;
      cudaStream_t stream;
      require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), what);
      for (int round = 0; round < 50; ++round) {
        const int count = 12000 + number * 1500 + round;
        require(launch(fused, data, count, stream), what);
        require(cudaStreamSynchronize(stream), what);
        check(data, count, what);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
#endif
}

int main() {
  int devices = 0;
  require(cudaGetDeviceCount(&devices), "devices");
  // The first launch of all is in a graph.
  runsInAGraph(beside::launch, "beside, in a graph");
  runsInAGraph(resident::launch, "resident, in a graph");
  for (int round = 0; round < 2; ++round)
    for (int device = 0; device < devices; ++device) {
      require(cudaSetDevice(device), "cudaSetDevice");
      runs(beside::launch, "beside");
      runs(resident::launch, "resident");
    }
  runsInThreads(beside::launch, "beside, in threads");
  runsInThreads(resident::launch, "resident, in threads");
  require(cudaDeviceReset(), "cudaDeviceReset");
  runs(beside::launch, "beside, after a reset");
  runs(resident::launch, "resident, after a reset");
  require(cudaGetLastError(), "last error");
  {
    const Data data;
    if (launch(beside::launch, data, 1 << 20, nullptr) != cudaErrorInvalidValue ||
        launch(resident::launch, data, 1 << 20, nullptr) != cudaErrorInvalidValue) {
      std::printf("more shared memory than there is was no error\n");
      return 1;
    }
  }
  runs(beside::launch, "beside, after an error");
  runs(resident::launch, "resident, after an error");
  std::printf("same on %d devices\n", devices);
  return 0;
}
