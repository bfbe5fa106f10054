// In a cooperative launch, each kernel has its own type for the memory that it shares: one of its file, vectors, parts
// of them, with const or without. So have launches with grids of their own.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse inspect --chains a.cu | FileCheck %s
// RUN: %cufuse fuse --vertical a.cu:make a.cu:mix --cooperative --name cells -o cells.cu
// RUN: %cufuse fuse --vertical a.cu:sums a.cu:add --cooperative --name scan -o scan.cu
// RUN: %cufuse fuse --vertical a.cu:mix a.cu:age --cooperative --link mix.cells=age.cells --block 32 --block 32 --name aged -o aged.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/cells.cu %t/scan.cu %t/aged.cu
// CHECK: : one after the other{{$}}
// CHECK-NEXT: cufuse fuse --vertical a.cu:make a.cu:mix --cooperative -o fused.cu
// CHECK: : one after the other, with grids that are not seen to be one
// CHECK-NEXT: cufuse fuse --vertical a.cu:sums a.cu:add --cooperative -o fused.cu

//--- a.cu
struct Cell {
  float value;
  int age;
};
struct Scale {
  float by, plus;
};
__global__ void make(Cell *cells, const float *in, Scale s, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells[i] = {in[i] * s.by, i};
}
__global__ void mix(const Cell *cells, float *out, Scale s, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = cells[n - 1 - i].value * s.plus + cells[i].age;
}
__global__ void age(Cell *cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells[i].age++;
}
__global__ void sums(unsigned *buffer, unsigned *data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  __syncthreads();
  if (threadIdx.x == 0)
    buffer[blockIdx.x] = data[i + 31];
}
__global__ void add(uint4 *data, const unsigned *buffer) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, by = buffer[gridDim.x - 1 - blockIdx.x];
  uint4 four = data[i];
  four.x += by, four.y += by, four.z += by, four.w += by;
  data[i] = four;
}
void run(Cell *cells, const float *in, Scale s, float *out, int n, unsigned *buffer, unsigned *data, int blocks) {
  make<<<n / 32 + 1, 32>>>(cells, in, s, n);
  mix<<<n / 32 + 1, 32>>>(cells, out, s, n);
  sums<<<blocks, 32>>>(buffer, data);
  add<<<blocks / 4, 32>>>((uint4 *)data, buffer);
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "aged.h"
#include "cells.h"
#include "scan.h"

int main() {
  bool good = true;
  Array<float> in(1000, 7), out(1000);
  Array<unsigned> data(1024, 7), buffer(32, 7);
  Array<long long> memory(1000);
  Cell *const mid = reinterpret_cast<Cell *>(memory.data);
  for (int n : {1, 33, 1000}) {
    Both each;
    each.output("cells", memory), each.output("out", out);
    const Scale s{3, 2};
    good &= each.same(
        "types of the file",
        [&] {
          make<<<n / 32 + 1, 32>>>(mid, in, s, n);
          mix<<<n / 32 + 1, 32>>>(mid, out, s, n);
        },
        [&] {
          cells::make::Launch first{n / 32 + 1, 32};
          cells::mix::Launch second{n / 32 + 1, 32};
          first.arguments.cells = mid;
          first.arguments.in = in;
          first.arguments.s = s;
          first.arguments.n = n;
          second.arguments.out = out;
          second.arguments.s = s;
          require(cells::launch(first, second), "cells");
        });
    good &= each.same(
        "const and changed",
        [&] {
          mix<<<n / 32 + 1, 32>>>(mid, out, s, n);
          age<<<n / 32 + 1, 32>>>(mid, n);
        },
        [&] {
          aged::mix::Launch first{n / 32 + 1};
          aged::age::Launch second{n / 32 + 1};
          first.arguments.cells = mid;
          first.arguments.out = out;
          first.arguments.s = s;
          first.arguments.n = n;
          second.arguments = {n};
          require(aged::launch(first, second), "aged");
        });
  }
  for (int blocks : {4, 32}) {
    Both each;
    each.output("data", data), each.output("buffer", buffer);
    good &= each.same(
        "vectors",
        [&] {
          sums<<<blocks, 32>>>(buffer, data);
          add<<<blocks / 4, 32>>>(reinterpret_cast<uint4 *>(data.data), buffer);
        },
        [&] {
          scan::sums::Launch first{blocks, 32};
          scan::add::Launch second{blocks / 4, 32};
          first.arguments = {buffer, data};
          require(scan::launch(first, second), "scan");
        });
  }
  return good ? 0 : 1;
}
