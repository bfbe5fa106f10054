// Kernels launched one by one and fused, on the same inputs: every output must be the same, bit for bit.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

inline void require(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// `count` elements on the device, filled with numbers below `limit`.
template <typename T> struct Array {
  explicit Array(std::size_t count, unsigned limit = 1000) : host(count) {
    unsigned state = 12345;
    for (T &element : host)
      element = static_cast<T>(static_cast<int>((state = state * 1664525u + 1013904223u) >> 8) % limit);
    require(cudaMalloc(reinterpret_cast<void **>(&data), count * sizeof(T)), "cudaMalloc");
    require(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  operator T *() const { return data; }
  T *data = nullptr;
  std::vector<T> host;
};

class Both {
public:
  /// The contents before each run are those of the array's construction.
  template <typename T> void output(const char *name, Array<T> &array) {
    outputs.push_back({name, array.data, reinterpret_cast<const unsigned char *>(array.host.data()),
                       array.host.size() * sizeof(T)});
  }
  template <typename Unfused, typename Fused> bool same(const char *what, Unfused unfused, Fused fused) {
    const std::vector<unsigned char> untouched = contents([] {});
    const std::vector<unsigned char> expected = contents(unfused);
    const std::vector<unsigned char> got = contents(fused);
    if (expected == untouched) {
      std::printf("%s: the kernels wrote nothing\n", what);
      return false;
    }
    std::size_t at = 0;
    for (const Output &o : outputs)
      for (std::size_t i = 0; i < o.bytes; ++i, ++at)
        if (expected[at] != got[at]) {
          std::printf("%s: %s differs at byte %zu: %02x unfused, %02x fused\n", what, o.name, i, expected[at], got[at]);
          return false;
        }
    std::printf("%s: same\n", what);
    return true;
  }

private:
  struct Output {
    const char *name;
    void *device;
    const unsigned char *before;
    std::size_t bytes;
  };
  template <typename Run> std::vector<unsigned char> contents(Run run) {
    for (const Output &o : outputs)
      require(cudaMemcpy(o.device, o.before, o.bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    run();
    require(cudaGetLastError(), "launch");
    require(cudaDeviceSynchronize(), "run");
    std::vector<unsigned char> all;
    for (const Output &o : outputs) {
      all.resize(all.size() + o.bytes);
      require(cudaMemcpy(all.data() + all.size() - o.bytes, o.device, o.bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    }
    return all;
  }
  std::vector<Output> outputs;
};
