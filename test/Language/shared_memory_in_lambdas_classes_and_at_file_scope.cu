// Static shared memory in a lambda, as storage of a block-wide class, as a union, and declared at file scope.
// RUN: %cufuse fuse %s:inLambda %s:inClass %s:atFileScope --block 64 --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -ptx -o %t.ptx %t.cu
// RUN: %FileCheck %s --check-prefix=PTX < %t.ptx

// PTX-DAG: barrier.cta.sync 1, 64
// PTX-DAG: barrier.cta.sync 2, 64
// PTX-DAG: barrier.cta.sync 3, 64

__global__ void inLambda(float *data) {
  auto mirrored = [&] {
    __shared__ float tile[64];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    return tile[63 - threadIdx.x];
  };
  auto offset = [](int i) { return i * gridDim.x + [] { return blockIdx.x; }(); };
  data[threadIdx.x + offset(1)] = mirrored();
}

template <typename T, int N> class BlockSum {
public:
  struct Storage {
    T values[N];
  };
  __device__ explicit BlockSum(Storage &storage) : storage(storage) {}
  __device__ T sum(T x) {
    storage.values[threadIdx.x] = x;
    __syncthreads();
    T total = 0;
    for (int i = 0; i < N; ++i)
      total += storage.values[i];
    return total;
  }

private:
  Storage &storage;
};

__global__ void inClass(float *data) {
  __shared__ union {
    typename BlockSum<float, 64>::Storage sum;
    int count;
  } storage;
  data[threadIdx.x] = BlockSum<float, 64>(storage.sum).sum(data[threadIdx.x]);
}

__shared__ float fileTile[64];
static __shared__ int fileCount;
__device__ void store(float x) {
  fileTile[threadIdx.x] = x;
  if (threadIdx.x == 0)
    fileCount = 1;
}
__global__ void atFileScope(float *data) {
  store(data[threadIdx.x]);
  __syncthreads();
  data[threadIdx.x] = fileTile[threadIdx.x ^ 1] + fileCount;
}
