// Files of one name in two folders, included inside a kernel, a table and a class of the arguments.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/a/a.cu:first %t/b/b.cu:second --block 64 --block 96 --name match -o %t/match.cu
// RUN: %cufuse fuse %t/b/b.cu:second %t/a/a.cu:first --block 96 --block 64 --grid-policy stride --unroll first=2 \
// RUN:   --name stride -o %t/stride.cu
// RUN: FileCheck %s --input-file=%t/match.cu
// RUN: %exits 1 %cufuse fuse %t/a/a.cu:first --block 64 -o %t/b/alone.cu 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: %execute -I %S/Inputs -I %t/a -I %t/b %t/main.cu %t/match.cu %t/stride.cu

// BESIDE: error: the output's #include "{{[a-z]+}}.inc" would find {{.*}}b/{{[a-z]+}}.inc, not {{.*}}a/
// CHECK: #include "../a/table.inc" // however it is written
// CHECK: #include "../a/body.inc"
// CHECK-NEXT: #include "only.inc"
// CHECK: out[i] = value
// CHECK: #include "../b/body.inc"

//--- a/table.inc
5, 6, 7, 8
//--- a/members.inc
int plus;
int times;
//--- a/body.inc
value = value * given.times + given.plus;
//--- a/only.inc
++value;
//--- a/a.cu
__constant__ int table[] = {
#  include "table.inc" // however it is written
};
struct Given {
#include /* too */ "members.inc"
};
#define BODY "body.inc"
__global__ void first(const int *in, int *out, Given given, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    int value = in[i] + table[i % 4];
#include BODY
#include "only.inc"
    out[i] = value;
  }
}
//--- b/table.inc
1, 2
//--- b/members.inc
int times, plus, less;
//--- b/body.inc
value = value / 2 * given.times - given.less + given.plus;
//--- b/b.cu
__constant__ int table[] = {
#include "table.inc"
};
struct Given {
#include "members.inc"
};
__global__ void second(const int *in, int *out, Given given) {
  __shared__ int tile[96];
  tile[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  int value = tile[95 - threadIdx.x] + table[threadIdx.x % 2];
#include "body.inc"
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

//--- main.cu
#include "both.h"
namespace a {
#include "a/a.cu"
}
namespace b {
#include "b/b.cu"
}

#include "match.h"
#include "stride.h"

int main() {
  Array<int> in(4096), x(4096), y(4096);
  Both both;
  both.output("x", x), both.output("y", y);
  bool good = true;
  auto unfused = [&] {
    a::first<<<11, 64>>>(in, x, a::Given{3, 5}, 2000);
    b::second<<<7, 96>>>(in, y, b::Given{7, 2, 4});
  };
  good &= both.same("match", unfused, [&] {
    require(match::launch({11, {in, x, {3, 5}, 2000}}, {7, {in, y, {7, 2, 4}}}), "match");
  });
  good &= both.same("stride", unfused, [&] {
    require(stride::launch({7, {in, y, {7, 2, 4}}}, {11, {in, x, {3, 5}, 2000}}), "stride");
  });
  return good ? 0 : 1;
}
