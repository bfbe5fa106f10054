// Default arguments and initialisers of members that read blockIdx, from the kernel's own body.
// RUN: %cufuse fuse %s:viaArgument %s:viaMember --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

__device__ unsigned offsetBy(unsigned a = threadIdx.x, unsigned b = blockIdx.x * blockDim.x) { return a + b; }
struct Place {
  unsigned x = threadIdx.x, block = blockIdx.x, blocks = gridDim.x;
};
__global__ void viaArgument(float *data) { data[offsetBy()] += 1; }
__global__ void viaMember(float *data) {
  const Place place;
  data[place.block * blockDim.x + place.x] += place.blocks;
}
