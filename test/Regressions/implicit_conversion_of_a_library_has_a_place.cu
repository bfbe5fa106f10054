// The conversion is not written, so its place is that of the converted value.
// RUN: rm -rf %t && split-file %s %t
// RUN: not %cufuse fuse %t/a.cu:k --block 32 -o %t/out.cu -- -rdc=true -isystem %t/library 2>&1 | FileCheck %s
// CHECK: {{.*}}a.cu:4:13: error: k: {{.*}}[LibraryUsesBlock]

//--- library/rank.h
struct Rank {
  __device__ operator int() const { return threadIdx.x; }
};
//--- a.cu
#include <rank.h>
__global__ void k(int *data) {
  Rank rank;
  int own = rank;
  data[0] = own;
}
