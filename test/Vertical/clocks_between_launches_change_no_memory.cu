// Launches that are timed one by one follow each other: clocks read no memory, and what is assigned to a variable of a
// class that is plain data changes that alone.
// RUN: %cufuse inspect --chains %s | FileCheck %s --check-prefix CHAINS
// CHAINS: [[@LINE+22]]:3 and {{.*}}:[[@LINE+26]]:3: one after the other
// CHAINS-NEXT: cufuse fuse --vertical {{.*}}:plus {{.*}}:twice
// CHAINS: [[@LINE+28]]:3 and {{.*}}:[[@LINE+30]]:3: it is not seen whether they share memory
#include <chrono>
struct Arrays {
  float *x;
};
__global__ void plus(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    x[i] += 1;
}
__global__ void twice(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    x[i] *= 2;
}
__global__ void less(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    x[i] -= 1;
}
std::chrono::duration<double> timed(float *x, int n) {
  auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double> first{};
  plus<<<n / 256, 256>>>(x, n);
  cudaDeviceSynchronize();
  first += std::chrono::steady_clock::now() - start;
  start = std::chrono::steady_clock::now();
  twice<<<n / 256, 256>>>(x, n);
  return first + std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start);
}
void moved(Arrays a, Arrays b, int n) {
  plus<<<n / 256, 256>>>(a.x, n);
  a = b;
  less<<<n / 256, 256>>>(a.x, n);
}
