// A call that finds a friend by its argument was qualified, as if the function of its name at file scope were meant.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:looks --block 64 --copies 2 -o %t/out.cu
// RUN: FileCheck %s --input-file %t/out.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/out.cubin %t/out.cu

// CHECK: data[threadIdx.x] = look(Hidden{3}) + ::{{.*}}::look(Seen{3}) + look(3);

struct Hidden {
  int value;
  friend __device__ int look(Hidden hidden) { return hidden.value; }
};
struct Seen {
  int value;
  friend __device__ int look(Seen seen);
};
__device__ int look(Seen seen) { return seen.value * 2; }
__device__ int look(int x) { return x * 3; }
__global__ void looks(int *data) {
  data[threadIdx.x] = look(Hidden{3}) + look(Seen{3}) + look(3);
}
