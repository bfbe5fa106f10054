// Arrays of the device, and what two ways to change them leave there.
#pragma once

#include <cstdio>
#include <vector>

/// Numbers of its own by its seed.
struct Array {
  explicit Array(int count, int seed) : host(count) {
    for (int i = 0; i < count; ++i)
      host[i] = float((i * 37 + seed * 11) % 97);
    cudaMalloc(&at, count * sizeof(float));
    reset();
  }
  void reset() { cudaMemcpy(at, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice); }
  std::vector<float> read() const {
    std::vector<float> now(host.size());
    cudaMemcpy(now.data(), at, now.size() * sizeof(float), cudaMemcpyDeviceToHost);
    return now;
  }
  std::vector<float> host;
  float *at = nullptr;
};

/// How often both ways left the same.
int same = 0;
template <typename Apart, typename Fused>
void compare(const char *what, std::vector<Array *> arrays, Apart apart, Fused fused) {
  std::vector<std::vector<float>> wanted;
  for (Array *a : arrays)
    a->reset();
  apart();
  for (Array *a : arrays)
    wanted.push_back(a->read()), a->reset();
  if (const cudaError_t error = fused())
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
  bool isSame = true;
  for (size_t i = 0; i < arrays.size(); ++i)
    isSame &= arrays[i]->read() == wanted[i];
  if (!isSame)
    std::printf("%s differs\n", what);
  same += isSame;
}
