// What another block stores, it may store at any time: threads that ask for it leave one by one, whatever barriers are between.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:queries %t/kernels.cu:other --block 128 --block 64 --copies queries=2 \
// RUN:   --grid-policy stride --name stride -o %t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:queries %t/kernels.cu:other --block 128 --block 64 --copies queries=2 \
// RUN:   --grid-policy pool --name pool -o %t/pool.cu
// RUN: %cufuse fuse %t/kernels.cu:exchanged %t/kernels.cu:other --block 128 --block 64 --copies exchanged=2 \
// RUN:   --name match -o %t/match.cu
// RUN: FileCheck %s --input-file=%t/stride.cu
// RUN: FileCheck %s --input-file=%t/match.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/stride.cu %t/pool.cu %t/match.cu
// CHECK: return cufuse_partition::leave();

//--- kernels.cu
// Of eight blocks, four ask whether the key is in their parts, and stop when one of them has found it; the others mirror theirs.
__global__ void queries(const int *in, int *found, int *out, int key) {
  const bool searches = blockIdx.x / 4 % 2 == 0;
  if (searches && found[blockIdx.x / 8])
    return;
  __shared__ int tile[128];
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  const int value = tile[127 - threadIdx.x];
  if (!searches)
    out[blockIdx.x * 128 + threadIdx.x] = value;
  else if (value == key)
    found[blockIdx.x / 8] = 1;
}

__global__ void exchanged(const int *in, int *found, int key) {
  if (*found)
    return;
  __shared__ int tile[128];
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  if (tile[127 - threadIdx.x] == key)
    atomicExch(found, 1);
}

__global__ void other(const int *in, int *out) { out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x]; }

//--- main.cu
#include "both.h"
#include "kernels.cu"
#include "match.h"
#include "pool.h"
#include "stride.h"

int main() {
  Array<int> in(8192, 40), found(8, 1), mirrored(8192), out(1024);
  Both both;
  both.output("found", found);
  both.output("mirrored", mirrored);
  both.output("out", out);
  const int key = in.host[5];
  auto separate = [&] {
    queries<<<60, 128>>>(in, found, mirrored, key);
    other<<<4, 64>>>(in, out);
  };
  bool good = both.same("stride", separate, [&] {
    require(stride::launch({60, {in, found, mirrored, key}}, {4, {in, out}}), "stride");
  });
  good &= both.same("pool", separate,
                    [&] { require(pool::launch({60, {in, found, mirrored, key}}, {4, {in, out}}), "pool"); });
  good &= both.same(
      "match",
      [&] {
        exchanged<<<40, 128>>>(in, found, key);
        other<<<4, 64>>>(in, out);
      },
      [&] { require(match::launch({40, {in, found, key}}, {4, {in, out}}), "match"); });
  return good ? 0 : 1;
}
