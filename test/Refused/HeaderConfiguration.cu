// A header that two files configure differently is refused for both together; alike, it is not.
// RUN: rm -rf %t && mkdir %t
// RUN: split-file %s %t.files
// RUN: %exits 1 %cufuse fuse %t.files/small.cu:fill %t.files/large.cu:sum --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %t.files/small.cu:fill %t.files/alike.cu:sum --block 64 --block 64 -o %t/out.cu

// CHECK: {{[^ ]*}}large.cu:2:1: error: a header is configured by macros that the kernels' files set differently: {{[^ ]*}}tile.h
// CHECK-SAME:, by other macros, packing or linkage at {{[^ ]*}}small.cu:2:1 [HeaderConfiguration]
// CHECK: note: set these macros alike in both files, or on the command line

// What nothing behind an #include asks for says nothing of it; what does so further behind it says something, where the kernel
// needs what it includes.
// RUN: %cufuse fuse %t.files/plain.cu:plain %t.files/other.cu:other --block 64 --block 64 -o %t/out.cu
// RUN: %nvcc -arch=sm_90a -I%t.files -cubin -o %t/out.cubin %t/out.cu
// RUN: %exits 1 %cufuse fuse %t.files/plain.cu:plain %t.files/behind.cu:behind --block 64 --block 64 -o %t/no.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BEHIND '--implicit-check-not={{(error|refused):}}'
// RUN: %cufuse fuse %t.files/without.cu:without %t.files/behind.cu:behind --block 64 --block 64 -o %t/out.cu
// RUN: %nvcc -arch=sm_90a -I%t.files -cubin -o %t/out.cubin %t/out.cu
// BEHIND: behind.cu:3:1: error: {{.*}}wrap.h, by other macros, packing or linkage at {{[^ ]*}}plain.cu:2:1 [HeaderConfiguration]

// What only the command lines say is written around each kernel's text. A header that asks for it is the same for both.
// RUN: sed 's|@|%/t.files|g' %t.files/commands.json > %t.files/compile_commands.json
// RUN: %cufuse fuse %t.files/sized.cu:sized %t.files/widened.cu:widened --block 64 --block 128 -p %t.files -o %t/out.cu
// RUN: FileCheck %s --check-prefix=OWN --input-file=%t/out.cu
// RUN: %nvcc -arch=sm_90a -I%t.files -cubin -o %t/out.cubin %t/out.cu
// RUN: %nvcc -arch=sm_90a -DBLOCK=32 -I%t.files -cubin -o %t/out.cubin %t/out.cu
// OWN: cufuse_sized {
// OWN: #define BLOCK 64
// OWN: cufuse_widened {
// OWN: #define BLOCK 128
// RUN: sed 's|-DBLOCK|-DHEADER -DBLOCK|g' %t.files/compile_commands.json > %t/compile_commands.json
// RUN: %exits 1 %cufuse fuse %t.files/sized.cu:sized %t.files/widened.cu:widened --block 64 --block 128 -p %t \
// RUN:   -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=SHARED '--implicit-check-not={{(error|refused):}}'
// SHARED: widened.cu:2:1: error: {{.*}}block.h, by other macros, packing or linkage at

//--- small.cu
#define TILE 16
#include "tile.h"
__global__ void fill(Tile *tiles) { tiles[0].values[threadIdx.x % TILE] = 1; }

//--- large.cu
#define TILE 32
#include "tile.h"
__global__ void sum(const Tile *tiles, float *out) { out[threadIdx.x] = tiles[0].values[threadIdx.x % TILE]; }

//--- alike.cu
#define TILE 16
#include "tile.h"
__global__ void sum(const Tile *tiles, float *out) { out[threadIdx.x] = tiles[0].values[threadIdx.x % TILE]; }

//--- tile.h
#pragma once
#ifndef TILE
#define TILE 8
#endif
struct Tile {
  float values[TILE];
};

//--- plain.h
#pragma once
__device__ inline float twice(float x) { return x + x; }

//--- wrap.h
#pragma once
#include "tile.h"

//--- plain.cu
#include "plain.h"
#include "wrap.h"
__global__ void plain(float *x) { x[threadIdx.x] = twice(sizeof(Tile)); }

//--- without.cu
#include "plain.h"
#include "wrap.h"
__global__ void without(float *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }

//--- other.cu
#define NDEBUG
#define LEFT
#include <cassert>
#include "asks.h"
#include "plain.h"
__global__ void other(float *x) { x[threadIdx.x] = twice(asked(x[threadIdx.x])); }

//--- asks.h
#pragma once
#ifdef LEFT
__device__ inline float asked(float x) { return x - 1; }
#endif

//--- behind.cu
#include "plain.h"
#define TILE 32
#include "wrap.h"
__global__ void behind(Tile *tiles) { tiles[0].values[threadIdx.x % TILE] = twice(1); }

//--- sized.cu
#ifdef HEADER
#include "block.h"
#endif
#ifndef HELD
#define HELD 0
#endif
__global__ void sized(float *x) {
  __shared__ float s[BLOCK];
  s[threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x];
  __syncthreads();
  x[blockIdx.x * BLOCK + threadIdx.x] = s[BLOCK - 1 - threadIdx.x] + HELD;
}

//--- widened.cu
#ifdef HEADER
#include "block.h"
#endif
#ifndef HELD
#define HELD 0
#endif
__global__ void widened(float *x) {
  __shared__ float s[BLOCK];
  s[threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x];
  __syncthreads();
  x[blockIdx.x * BLOCK + threadIdx.x] = s[BLOCK - 1 - threadIdx.x] + HELD;
}

//--- block.h
#pragma once
struct Held {
  float values[BLOCK];
};
#define HELD sizeof(Held)

//--- commands.json
[{"directory": "@", "file": "sized.cu", "command": "nvcc -DBLOCK=64 -c sized.cu"},
 {"directory": "@", "file": "widened.cu", "command": "nvcc -DBLOCK=128 -c widened.cu"}]
