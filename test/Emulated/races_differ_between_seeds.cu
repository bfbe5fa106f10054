// A missing barrier shows as different results of different seeds; shared memory starts poisoned; writes beyond the
// dynamic shared memory, an endless loop and a stack that overflows end with a report.
// RUN: %emulate --seed 1 --seed 2 --seed 3 --seed 4 %s -- barrier
// RUN: %exits 86 %emulate --seed 1 --seed 2 --seed 3 --seed 4 %s -- race
// RUN: %emulate -o %t %s
// RUN: %t poisoned | %FileCheck %s --check-prefix=POISON
// RUN: %exits 87 %t beyond 2>&1 | %FileCheck %s --check-prefix=BEYOND
// RUN: env EMULATED_SECONDS=1 %exits 87 %t endless 2>&1 | %FileCheck %s --check-prefix=ENDLESS
// RUN: %exits 87 %t overflow 2>&1 | %FileCheck %s --check-prefix=OVERFLOW
// RUN: %exits 3 %t tooManyThreads

// POISON: ffffffff ffffffff
// BEYOND: emulated: byte 256 of the dynamic shared memory was written, of which the launch has 256
// ENDLESS: emulated: the launch does not end; thread 0 of block (0, 0, 0) runs
// OVERFLOW: emulated: invalid address 0x{{.*}} in thread 0 of block (0, 0, 0)

#include <cstdio>
#include <string>

__global__ void barrier(unsigned *out) {
  extern __shared__ unsigned values[];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x ^ 37];
}
__global__ void race(unsigned *out) {
  extern __shared__ unsigned values[];
  values[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = values[threadIdx.x ^ 37];
}
// The first block must not leave anything to the second.
__global__ void poisoned(unsigned *out) {
  __shared__ unsigned value;
  out[blockIdx.x] = value;
  value = 7;
}
__global__ void beyond(unsigned *) {
  extern __shared__ unsigned values[];
  values[64] = 1;
}
__global__ void endless(volatile unsigned *flag) {
  while (*flag != 1)
    ;
}
__device__ unsigned deeper(volatile unsigned *out, unsigned depth) {
  volatile unsigned room[1000];
  room[depth % 1000] = depth;
  return *out == 5 ? 0 : deeper(out, depth + 1) + room[depth % 1000];
}
__global__ void overflow(unsigned *out) { out[1] = deeper(out, 0); }

int main(int argc, char **argv) {
  unsigned *out;
  cudaMalloc(&out, 64 * sizeof(unsigned));
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "barrier")
    barrier<<<1, 64, 256>>>(out);
  if (name == "race")
    race<<<1, 64, 256>>>(out);
  if (name == "poisoned")
    poisoned<<<2, 1>>>(out);
  if (name == "beyond")
    beyond<<<1, 1, 256>>>(out);
  if (name == "endless")
    endless<<<1, 1>>>(out);
  if (name == "overflow")
    overflow<<<1, 1>>>(out);
  if (name == "tooManyThreads")
    barrier<<<1, 1025>>>(out);
  if (cudaGetLastError() != cudaSuccess)
    return 3;
  for (int i = 0; i < (name == "poisoned" ? 2 : 64); ++i)
    std::printf("%x ", out[i]);
  std::printf("\n");
}
