// A header that two files configure differently is refused for both together; alike, it is not.
// RUN: rm -rf %t && mkdir %t
// RUN: split-file %s %t.files
// RUN: %exits 1 %cufuse fuse %t.files/small.cu:fill %t.files/large.cu:sum --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %t.files/small.cu:fill %t.files/alike.cu:sum --block 64 --block 64 -o %t/out.cu

// CHECK: {{[^ ]*}}large.cu:2:1: error: a header is configured by macros that the kernels' files set differently: {{[^ ]*}}tile.h
// CHECK-SAME: [HeaderConfiguration]
// CHECK: note: set these macros alike in both files, or on the command line

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
