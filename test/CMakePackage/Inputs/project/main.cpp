#include "scale_shift.h"

#include <cstdio>
#include <vector>

int main() {
  const int size = 1000;
  std::vector<float> floats(size, 2.0f);
  std::vector<int> ints(size, 4);
  float *deviceFloats;
  int *deviceInts;
  cudaMalloc(&deviceFloats, size * sizeof(float));
  cudaMalloc(&deviceInts, size * sizeof(int));
  cudaMemcpy(deviceFloats, floats.data(), size * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(deviceInts, ints.data(), size * sizeof(int), cudaMemcpyHostToDevice);

  scale_shift::scale::Launch scale{};
  scale.grid = dim3((size + 127) / 128);
  scale.arguments.data = deviceFloats;
  scale.arguments.size = size;
  scale_shift::shift::Launch shift{};
  shift.grid = dim3((size + 63) / 64);
  shift.arguments.data = deviceInts;
  shift.arguments.size = size;
  const cudaError_t error = scale_shift::launch(scale, shift);
  if (error != cudaSuccess) {
    std::printf("launch: %s\n", cudaGetErrorString(error));
    return 1;
  }

  cudaMemcpy(floats.data(), deviceFloats, size * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(ints.data(), deviceInts, size * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < size; ++i)
    if (floats[i] != 5.0f || ints[i] != 7) {
      std::printf("wrong at %d: %g %d\n", i, floats[i], ints[i]);
      return 1;
    }
  std::puts("right");
  return 0;
}
