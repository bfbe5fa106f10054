// nvcc gives `auto` variables of the built-ins the types uint3 and dim3.
// RUN: %cufuse fuse %s:deduces --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

__global__ void deduces(unsigned *data) {
  auto thread = threadIdx;
  auto size = blockDim;
  data[thread.x] = size.x;
}
