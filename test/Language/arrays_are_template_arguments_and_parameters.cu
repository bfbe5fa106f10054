// Types of arrays have their bounds behind the name.
// RUN: %cufuse fuse '%s:start<int, directions_t>' '%s:start<Pair, float[2][3]>' --block 64 --block 32 --name fused -o %t.cu
// RUN: FileCheck %s --input-file=%t.h
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
typedef unsigned directions_t[32];
struct Pair {
  int a, b;
};
template <typename State, typename Directions>
__global__ void start(State *const states, Directions *const directions, const Pair (*rows)[4], int (*const *table)[2]) {
  auto *first = &directions[0][threadIdx.x % 2];
  reinterpret_cast<float *>(states)[threadIdx.x] = *reinterpret_cast<const float *>(first) + rows[1][2].a + table[1][0][1];
}
// CHECK: int *states;
// CHECK-NEXT: unsigned int (*directions)[32];
// CHECK-NEXT: const void *rows;
// CHECK-NEXT: int (*const *table)[2];
// CHECK: void *states;
// CHECK-NEXT: float (*directions)[2][3];
