// Where no --block is given, the block is a guess: that of the first launch with a constant in the file, else of the launch
// bounds. Then a launch fails for another than was fused, which is the one that it has where nobody sets it. Where launches have
// several, it has none.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse inspect --full %t/kernels.cu | FileCheck %s --check-prefix=INSPECT
// RUN: %cufuse fuse %t/kernels.cu:plane %t/kernels.cu:bounded %t/kernels.cu:said --block said=32 --name both -o %t/both.cu
// RUN: %cufuse fuse %t/kernels.cu:plane --name one -o %t/one.cu
// RUN: %cufuse fuse %t/kernels.cu:said %t/kernels.cu:next --link said.o=next.o --link said.n=next.n \
// RUN:   --dead said.o --distinct --name elements -o %t/elements.cu
// RUN: FileCheck %s --check-prefix=BOTH --input-file %t/both.h && FileCheck %s --check-prefix=ONE --input-file %t/one.h
// RUN: FileCheck %s --check-prefix=ELEMENTS --input-file %t/elements.h
// RUN: %execute -I %t %t/host.cu %t/both.cu %t/one.cu

// Of variables that nothing changes, what they begin with counts, and text as the device reads it.
// INSPECT: {{^}}plane(
// INSPECT: launched with not constant, 16x2, 32x4{{$}}
// INSPECT: {{^}}bounded(
// INSPECT: launched with not constant{{$}}
// INSPECT: {{^}}said(
// INSPECT: launched with 64, 96, not constant{{$}}
// INSPECT: {{^}}next(
// INSPECT: launched with 44, 128{{$}}

// BOTH: dim3 block = dim3(0); ///< To be said, dim3(16, 2), as it is launched at {{.*}}kernels.cu:[[#]]:3: fused for no other.
// BOTH: dim3 block = dim3(0); ///< To be said, dim3(32), its __launch_bounds__: fused for no other.
// BOTH: struct Launch {
// BOTH-NEXT: dim3 grid;
// BOTH-NEXT: struct Arguments {
// ONE: cudaError_t launch(dim3 grid, dim3 block, int *o, cudaStream_t stream = nullptr);
// Any block computes the same elements.
// ELEMENTS-NOT: dim3 block
// ELEMENTS: cudaError_t launch(int n, int *p, cudaStream_t

//--- kernels.cu
__global__ void plane(int *o) { o[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = blockDim.x; }
__global__ void __launch_bounds__(32) bounded(int *o) { o[threadIdx.x] += 1; }
__global__ void said(int *o, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    o[i] = i;
}
__global__ void next(const int *o, int *p, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    p[i] = o[i] + 1;
}
#ifdef __CUDA_ARCH__
#define SIZE 64
#else
#define SIZE 128
#endif
void run(int *o, int *p, int n) {
  dim3 empty;
  empty.x = n;
  plane<<<1, empty>>>(o);
  int threads = 16;
  dim3 block(threads, 2);
  plane<<<1, block>>>(o);
  plane<<<1, dim3(32, 4)>>>(o);
  bounded<<<1, n>>>(o);
  said<<<1, SIZE>>>(o, n);
  unsigned few = 96, many = 32;
  [&few, &other = many] { other = few; }();
  said<<<1, few>>>(o, n);
  said<<<1, many>>>(o, n);
  unsigned char byte = 300;
  next<<<1, byte>>>(o, p, n);
  const int same = 128;
  next<<<1, same>>>(o, p, n);
}

//--- host.cu
#include "both.h"
#include "one.h"

#include <cstdio>

int main() {
  int *o = nullptr;
  cudaMalloc(&o, 1024 * sizeof(int));
  cudaMemset(o, 0, 1024 * sizeof(int));
  both::plane::Launch plane;
  plane.grid = 1;
  plane.arguments.o = o;
  both::bounded::Launch bounded{1, 32, {o + 256}};
  const both::said::Launch said{1, {o + 512, 20}};
  if (both::launch(plane, bounded, said) != cudaErrorInvalidConfiguration)
    return 5;
  plane.block = dim3(16, 2);
  if (both::launch(plane, bounded, said) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  int found[1024];
  cudaMemcpy(found, o, sizeof found, cudaMemcpyDeviceToHost);
  if (found[31] != 16 || found[32] != 0 || found[256 + 31] != 1 || found[512 + 19] != 19)
    return 2;
  for (const dim3 other : {dim3(), dim3(32), dim3(16, 2, 2), dim3(16, 1)}) {
    plane.block = other;
    if (both::launch(plane, bounded, said) != cudaErrorInvalidConfiguration ||
        one::plane::launch(1, other, o) != cudaErrorInvalidConfiguration)
      return 3;
  }
  return one::plane::launch(1, dim3(16, 2), o) == cudaSuccess ? 0 : 4;
}
