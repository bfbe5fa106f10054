// Functions that no expression calls are reached as the code reaches them: constructors of what an initialiser leaves
// out, inherited ones, a lambda as a pointer, operators of `new`, destructors of members. What they count, the host reads.
// RUN: split-file %s %t
// RUN: %cufuse inspect %t/kernels.cu -- -std=c++20 | FileCheck %t/kernels.cu
// RUN: %cufuse inspect %t/states.cu -- -std=c++20 | FileCheck %t/states.cu
// RUN: %cufuse fuse %t/kernels.cu:filler %t/kernels.cu:inherited %t/kernels.cu:lambda %t/kernels.cu:allocates \
// RUN:   %t/kernels.cu:ends --block 64 --block 64 --block 64 --block 64 --block 64 --name f -o %t/f.cu -- -std=c++20 -rdc=true
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t/f.cu
// RUN: %execute --rdc --std c++20 -I %S/../Running/Inputs -I %t %t/main.cu %t/kernels.cu %t/f.cu
// ONE: extern __device__ int total;

//--- kernels.cu
#include <new>
__device__ int total = 0;
struct Counts {
  int v;
  __device__ Counts(int v = 1) : v(v) { atomicAdd(&total, v); }
};
struct Tile {
  Counts rows[3];
};
// CHECK: filler: {{.*}}must stay the same object: total [HostSharedNeedsRdc]
__global__ void filler(int *out) {
  Tile tile{};
  Counts more[2] = {};
  out[threadIdx.x] = tile.rows[1].v + more[1].v;
}
struct Derived : Counts {
  using Counts::Counts;
};
// CHECK: inherited: {{.*}}must stay the same object: total [HostSharedNeedsRdc]
__global__ void inherited(int *out) { out[threadIdx.x] = Derived(3).v; }

__device__ int apply(int (*f)(int), int v) { return f(v); }
// CHECK: lambda: {{.*}}must stay the same object: total [HostSharedNeedsRdc]
__global__ void lambda(int *out) {
  auto counts = [](int v) {
    atomicAdd(&total, v);
    return v + 3;
  };
  out[threadIdx.x] = apply(counts, 5);
}
struct Pooled {
  int v[2];
  static __device__ void *operator new(size_t, void *at) {
    atomicAdd(&total, 7);
    return at;
  }
};
// CHECK: allocates: {{.*}}must stay the same object: total [HostSharedNeedsRdc]
__global__ void allocates(int *out) { (new (out + 2 * threadIdx.x) Pooled{{4, 4}})->v[1]++; }

struct Part {
  __device__ ~Part() { atomicAdd(&total, 11); }
};
struct Whole {
  Part part;
};
// CHECK: ends: {{.*}}must stay the same object: total [HostSharedNeedsRdc]
__global__ void ends(int *out) {
  reinterpret_cast<Whole *>(out)->~Whole();
  out[threadIdx.x] = 5;
}

//--- states.cu
#include <cooperative_groups.h>
struct Keeps {
  int v;
  __device__ Keeps() {
    static int calls = 0;
    v = atomicAdd(&calls, 1);
  }
};
// CHECK: keeps: {{.*}}: calls in Keeps::Keeps [StaticLocal]
__global__ void keeps(int *out) {
  Keeps all[2] = {};
  out[threadIdx.x] = all[1].v;
}
struct Waits {
  __device__ Waits() { cooperative_groups::this_grid().sync(); }
};
// CHECK: waits: {{.*}}synchronises the grid [GridGroup]
__global__ void waits(int *out) {
  Waits both[2] = {};
  out[threadIdx.x] = 1;
}

//--- main.cu
#include "both.h"
#include "f.h"

extern __device__ int total;
__global__ void filler(int *out);
__global__ void inherited(int *out);
__global__ void lambda(int *out);
__global__ void allocates(int *out);
__global__ void ends(int *out);

int main() {
  Array<int> a(64), b(64), c(64), d(128), e(64), counted(1);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c), both.output("d", d), both.output("e", e);
  both.output("total", counted);
  auto keep = [&] {
    int value = 0;
    require(cudaMemcpyFromSymbol(&value, total, sizeof(value)), "total");
    require(cudaMemcpy(counted, &value, sizeof(value), cudaMemcpyHostToDevice), "copy");
    value = 0;
    require(cudaMemcpyToSymbol(total, &value, sizeof(value)), "reset");
  };
  return both.same(
             "reached",
             [&] {
               filler<<<1, 64>>>(a), inherited<<<1, 64>>>(b), lambda<<<1, 64>>>(c), allocates<<<1, 64>>>(d), ends<<<1, 64>>>(e);
               keep();
             },
             [&] {
               require(f::launch({1, {a}}, {1, {b}}, {1, {c}}, {1, {d}}, {1, {e}}), "f");
               keep();
             })
             ? 0
             : 1;
}
