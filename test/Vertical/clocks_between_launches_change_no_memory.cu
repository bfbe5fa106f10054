// Launches that are timed one by one follow each other: clocks read no memory, and what is assigned to a variable of a
// class that is plain data changes that alone.
// RUN: %cufuse inspect --chains %s | FileCheck %s --check-prefix CHAINS
// CHAINS: [[@LINE+20]]:3 and {{.*}}:[[@LINE+25]]:3: one after the other
// CHAINS-NEXT: cufuse fuse --vertical {{.*}}:plus {{.*}}:twice
// CHAINS: [[@LINE+27]]:3 and {{.*}}:[[@LINE+29]]:3: it is not seen whether they share memory
#include <chrono>
struct Arrays {
  float *x;
};
__global__ void plus(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void twice(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
__global__ void less(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    x[i] -= 1;
}
std::chrono::duration<double> timed(float *x, int n) {
  const dim3 grid(n / 256);
  float *y;
  cudaMalloc(&y, n * sizeof(float));
  auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double> first{};
  double sums[2] = {};
  plus<<<grid, 256>>>(y);
  cudaDeviceSynchronize();
  first += std::chrono::steady_clock::now() - start;
  sums[0] += first.count();
  start = std::chrono::steady_clock::now();
  twice<<<grid, 256>>>(y);
  return first + std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start);
}
void moved(Arrays a, Arrays b, int n) {
  plus<<<n / 256, 256>>>(a.x);
  a = b;
  less<<<n / 256, 256>>>(a.x, n);
}
