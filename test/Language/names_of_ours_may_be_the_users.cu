// Kernels, parameters, helpers and types named like things in the output.
// RUN: %cufuse fuse %s:fused %s:block %s:scale --block 32 --block 32 --block 32 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %cufuse fuse %s:launch %s:Launch %s:scale --block 32 --block 32 --block 32 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %cufuse fuse %s:rank %s:sync %s:Partition --block 32 --block 32 --block 32 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %cufuse fuse %s:scale %s:scale %s:scale_0 --block 32 --block 32 --block 32 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

struct Indices {
  int launch, fused;
};
__device__ float CufusePartition(float x) { return x; }
__device__ float threads(float block) { return block + CufusePartition(1); }

__global__ void fused(float *launch, int fused) { launch[threadIdx.x + blockIdx.x] += fused; }
__global__ void launch(float *fused, float *scale) { fused[threadIdx.x] += scale[blockIdx.x]; }
__global__ void block(float *block, unsigned block_gridDim) { block[threadIdx.x] += block_gridDim + blockIdx.x; }
__global__ void scale(float *scale, Indices launch) {
  const int Partition = launch.fused, rank = launch.launch;
  scale[threadIdx.x] *= Partition + rank + threads(2) + gridDim.x;
}
__global__ void rank(float *arguments, int stream, int grid) {
  __shared__ float shared[32];
  shared[threadIdx.x] = arguments[threadIdx.x];
  __syncthreads();
  arguments[threadIdx.x] = shared[threadIdx.x ^ 1] + stream + grid;
}
__global__ void sync(float *attributes, int dynamicShared, int sharedBytes) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x] = attributes[threadIdx.x];
  __syncthreads();
  attributes[threadIdx.x] = dynamic[threadIdx.x ^ 1] + dynamicShared + sharedBytes;
}
__global__ void Partition(float *First, int Barrier, int X) { First[threadIdx.x] += Barrier + X; }
__global__ void Launch(float *grid) { grid[threadIdx.x + gridDim.x] *= 2; }
__global__ void scale_0(float *data) { data[threadIdx.x] *= 2; }
