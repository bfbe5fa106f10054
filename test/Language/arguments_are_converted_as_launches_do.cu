// Of a class that only the kernel's file knows, the launcher takes the bytes: one that a launch would convert is refused, be it of
// the same size.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:turn %s:plain --block 64 --block 64 -o %t/o.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
struct Degrees {
  float v;
};
struct Radians {
  float v;
  __host__ __device__ Radians(float v) : v(v) {}
  __host__ __device__ Radians(Degrees d) : v(d.v * 0.017453293f) {}
};
struct Wide {
  float v;
  __host__ __device__ Wide(float v) : v(v) {}
  __host__ __device__ explicit Wide(Degrees d) : v(d.v) {}
};
// CHECK: [[#@LINE+2]]:{{[0-9]+}}: error: turn: the output's host code cannot name this as the kernel's file does: Radians r, to which others are converted [HostReadsOther]
// CHECK: note: move it to a header that the kernel's file includes
__global__ void turn(float *y, Radians r) { y[threadIdx.x] = r.v; }
__global__ void plain(float *y, Wide r) { y[threadIdx.x] = r.v; }
