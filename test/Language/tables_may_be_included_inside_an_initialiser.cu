// `#include "table.inc"` in an initialiser, in a function and at file scope; headers in folders with relative includes.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/src/a.cu:lookup %t/src/b.cu:lookup --block 64 --block 64 -o %t.cu -- -I%t/include
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t/src -I%t/include -cubin -o %t.cubin %t.cu

//--- src/table.inc
1, 2, 3, 4
//--- src/body.inc
value += 1;
//--- src/helpers.inc
__device__ int helped(int x) { return x + threadIdx.x; }
//--- src/parts/deep.h
#pragma once
#include "../up.h"
#include "near.h"
__device__ inline int deep() { return Up + Near; }
//--- src/parts/near.h
#pragma once
constexpr int Near = 2;
//--- src/up.h
#pragma once
constexpr int Up = 1;
//--- include/lib/api.h
#pragma once
#include <lib/more.h>
struct Api {
  More more;
};
//--- include/lib/more.h
#pragma once
struct More {
  int value;
};
//--- src/a.cu
#include "parts/deep.h"
#include <lib/api.h>
__constant__ int Table[] = {
#include "table.inc"
};
#include "helpers.inc"
__global__ void lookup(int *data, Api api) {
  int value = Table[threadIdx.x % 4];
#include "body.inc"
  data[threadIdx.x] = helped(value) + deep() + api.more.value;
}
//--- src/b.cu
#include "lib/api.h"
#include "up.h"
static __constant__ int Table[4] = {
#include "table.inc"
};
__global__ void lookup(int *data, Api *api) { data[threadIdx.x] = Table[threadIdx.x % 4] + api->more.value + Up; }
