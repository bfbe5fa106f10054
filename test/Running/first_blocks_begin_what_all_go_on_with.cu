// Kernels of one block before one of many are played by the first block that comes; all others wait for it alone, also
// where not all of them run at once. Launches follow each other, and run at once on arrays of their own.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse inspect --chains a.cu | FileCheck %s --check-prefix=CHAINS
// CHAINS: : one after the other{{$}}
// CHAINS-NEXT: {{^}}  cufuse fuse --vertical a.cu:scan a.cu:add -o fused.cu
// RUN: %cufuse fuse --vertical a.cu:scan a.cu:add --name scanned -o scanned.cu 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: by the first block, since all but the last have one block{{$}}
// RUN: %cufuse fuse --vertical a.cu:fill a.cu:scan a.cu:add --name filled -o filled.cu
// RUN: %cufuse fuse a.cu:square a.cu:add --link square.x=add.offsets --first-block --block 32 --block 64 --name squared -o squared.cu
// RUN: %cufuse fuse --vertical a.cu:from a.cu:add --name shifted -o shifted.cu
// RUN: grep -q 'placeOf(place, stream)' shifted.cu
// RUN: FileCheck %s --input-file filled.cu
// CHECK: __device__ unsigned long long cufuse_arrivals[
// CHECK: // The first block that comes plays all kernels but the last, of which each plays its share then.
// CHECK-NEXT: {{^}}  const CufuseFirstBlock first(place);
// CHECK-NEXT: {{^}}  if (first.is) {
// CHECK: for (unsigned block = 0; block < fill_blocks; block += 1) {
// CHECK: __syncthreads(); // before another kernel loads what this one has stored
// CHECK: for (unsigned block = 0; block < scan_blocks; block += 1) {
// CHECK: {{^}}  first.wait();
// CHECK: for (unsigned block = blockIdx.x; block < add_blocks; block += gridDim.x) {
// CHECK: placeOf(place, fillLaunch.arguments.offsets)
// RUN: not grep -i cooperative scanned.cu filled.cu squared.cu shifted.cu
// RUN: %exits 2 %cufuse fuse a.cu:square a.cu:add --link square.x=add.offsets --first-block --last-block -o no.cu
// RUN: %execute -I %S/Inputs -I %t main.cu scanned.cu filled.cu squared.cu shifted.cu

//--- a.cu
__global__ void fill(int *offsets, int first, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    offsets[i] = first + i % 3;
}

/// In place, exclusive; threads leave before the end.
__global__ void scan(int *__restrict__ offsets, int n) {
  __shared__ int sums[64];
  int sum = 0;
  const int each = (n + 63) / 64, begin = threadIdx.x * each;
  for (int i = begin; i < n && i < begin + each; ++i)
    sum += offsets[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (begin >= n && threadIdx.x > 0)
    return;
  sum = 0;
  for (int k = 0; k < threadIdx.x; ++k)
    sum += sums[k];
  for (int i = begin; i < n && i < begin + each; ++i) {
    const int own = offsets[i];
    offsets[i] = sum;
    sum += own;
  }
}

__global__ void add(const int *__restrict__ offsets, int *__restrict__ out, int n) {
  extern __shared__ int part[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = offsets[blockIdx.x];
  __syncthreads();
  if (i < n)
    out[i] += part[blockDim.x - 1 - threadIdx.x] + gridDim.x;
}

/// A part of the array, which tells no launch from others: they are told apart by their streams.
__global__ void from(int *offsets, int first, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    offsets[first + i] = i * i;
}

/// Of several blocks.
__global__ void square(int *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= x[i];
}

inline void launches(int *offsets, int *out, int blocks, int n) {
  scan<<<1, 64>>>(offsets, blocks);
  add<<<blocks, 64, 64 * sizeof(int)>>>(offsets, out, n);
}

inline void inThree(int *offsets, int *out, int blocks, int n, int first) {
  fill<<<1, 96>>>(offsets, first, blocks);
  scan<<<1, 64>>>(offsets, blocks);
  add<<<blocks, 64, 64 * sizeof(int)>>>(offsets, out, n);
}

inline void inPart(int *offsets, int *out, int blocks, int n) {
  from<<<1, 32>>>(offsets, blocks / 2, blocks - blocks / 2);
  add<<<blocks, 64, 64 * sizeof(int)>>>(offsets, out, n);
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "filled.h"
#include "scanned.h"
#include "shifted.h"
#include "squared.h"

int main() {
  bool good = true;
  for (const int n : {1, 63, 65, 10000}) {
    const int blocks = (n + 63) / 64;
    Array<int> offsets(blocks, 9), out(n, 5);
    Both each;
    each.output("offsets", offsets), each.output("out", out);
    for (int turn = 0; turn < 3; ++turn)
      good &= each.same("scanned", [&] { launches(offsets, out, blocks, n); },
                        [&] {
                          scanned::scan::Launch first{1, 64};
                          first.arguments = {offsets, blocks};
                          scanned::add::Launch second{unsigned(blocks), 64, 64 * sizeof(int)};
                          second.arguments = {out, n};
                          require(scanned::launch(first, second), "scanned");
                        });
    good &= each.same("filled", [&] { inThree(offsets, out, blocks, n, 3); },
                      [&] {
                        filled::fill::Launch first{1, 96};
                        first.arguments = {offsets, 3, blocks};
                        filled::scan::Launch second{1, 64};
                        second.arguments = {};
                        filled::add::Launch third{unsigned(blocks), 64, 64 * sizeof(int)};
                        third.arguments = {out, n};
                        require(filled::launch(first, second, third), "filled");
                      });
    good &= each.same("shifted", [&] { inPart(offsets, out, blocks, n); },
                      [&] {
                        shifted::from::Launch first{1, 32};
                        first.arguments = {offsets, blocks / 2, blocks - blocks / 2};
                        shifted::add::Launch second{unsigned(blocks), 64, 64 * sizeof(int)};
                        second.arguments = {out, n};
                        require(shifted::launch(first, second), "shifted");
                      });
    good &= each.same("squared",
                      [&] {
                        square<<<(blocks + 31) / 32, 32>>>(offsets, blocks);
                        add<<<blocks, 64, 64 * sizeof(int)>>>(offsets, out, n);
                      },
                      [&] {
                        squared::square::Launch first{unsigned(blocks + 31) / 32};
                        first.arguments = {offsets, blocks};
                        squared::add::Launch second{unsigned(blocks)};
                        second.dynamicSharedBytes = 64 * sizeof(int);
                        second.arguments = {out, n};
                        require(squared::launch(first, second), "squared");
                      });
  }
  // Two at once.
  const int n = 800, blocks = 13;
  Array<int> one(blocks, 3), other(blocks, 4), out(2 * n);
  cudaStream_t streams[2];
  for (cudaStream_t &stream : streams)
    cudaStreamCreate(&stream);
  Both each;
  each.output("one", one), each.output("other", other), each.output("out", out);
  good &= each.same("at once",
                    [&] {
                      launches(one, out, blocks, n);
                      launches(other, out + n, blocks, n);
                    },
                    [&] {
                      for (int i = 0; i < 2; ++i) {
                        scanned::scan::Launch first{1, 64};
                        first.arguments = {i ? other : one, blocks};
                        scanned::add::Launch second{blocks, 64, 64 * sizeof(int)};
                        second.arguments = {out + i * n, n};
                        require(scanned::launch(first, second, streams[i]), "at once");
                      }
                    });
  return good ? 0 : 1;
}
