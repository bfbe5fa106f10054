// A class template whose one specialisation reads the thread index is copied with all others, and the text that is copied
// beside it sees the header's using directive.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/main.cu:store --block 32 -o %t/out.cu
// RUN: %nvcc -arch=sm_90a -cubin -I%t -o %t/out.cubin %t/out.cu
// RUN: FileCheck %s --input-file=%t/out.cu
// CHECK: struct Cell<float>

//--- cells.h
#pragma once
namespace cells {
template <typename T> struct Cell {
  static __device__ int place() { return threadIdx.x; }
};
template <> struct Cell<float> {
  float value = 2;
  static constexpr int Size = 3;
};
template <typename T> __device__ inline void fill(Cell<T> &cell) { cell.value += threadIdx.x; }
} // namespace cells
//--- kernel.h
#pragma once
#include "cells.h"
using namespace cells;
template <typename T> __global__ void store(T *data) {
  Cell<T> cell;
  fill(cell);
  data[Cell<int>::place() * Cell<T>::Size] = cell.value;
}
//--- main.cu
#include "kernel.h"
void run(float *data) { store<float><<<1, 32>>>(data); }
