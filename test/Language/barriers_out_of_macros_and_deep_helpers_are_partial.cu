// All four block-wide barriers, in the kernel, three helpers deep, and out of macros.
// RUN: %cufuse fuse %s:voting %s:layered --block 128 --block 96 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -ptx -o %t.ptx %t.cu
// RUN: %cufuse fuse %s:never %s:layered --block 64 --block 96 -o %t.never.cu
// RUN: %nvcc -arch=sm_90a -cubin -o %t.never.cubin %t.never.cu
// RUN: %FileCheck %s --check-prefix=PTX < %t.ptx

// CHECK: __device__ __forceinline__ int __syncthreads_count(int predicate)
// CHECK: __device__ __forceinline__ int __syncthreads_and(int predicate)
// CHECK: __device__ __forceinline__ int __syncthreads_or(int predicate)
// PTX-NOT: bar.sync
// PTX-NOT: barrier.sync
// PTX-NOT: barrier.red
// PTX-DAG: barrier.cta.red.popc.u32 %r{{[0-9]+}}, 1, 128
// PTX-DAG: barrier.cta.red.popc.u32 %r{{[0-9]+}}, 1, 128
// PTX-DAG: barrier.cta.red.popc.u32 %r{{[0-9]+}}, 1, 128
// PTX-DAG: barrier.cta.sync 2, 96
// PTX-NOT: bar.sync

#define EVERYONE(condition) __syncthreads_and(condition)
#define WAIT __syncthreads()
#define WAIT_AND(statement) do { __syncthreads(); statement; } while (0)

__global__ void voting(const int *in, int *out) {
  const int value = in[threadIdx.x];
  int result = __syncthreads_count(value > 0);
  if (EVERYONE(value != 7))
    result += 1000;
  if (__syncthreads_or(value == 9))
    result += 2000;
  out[threadIdx.x] = result;
}

__device__ void third(int *shared) {
  WAIT;
  shared[threadIdx.x] += 1;
  WAIT_AND(shared[threadIdx.x ^ 1] += 1);
}
__device__ __noinline__ void second(int *shared) { third(shared); }
__device__ void first(int *shared) {
  second(shared);
  __syncthreads();
}

__global__ void layered(int *data) {
  __shared__ int values[96];
  values[threadIdx.x] = data[threadIdx.x];
  first(values);
  data[threadIdx.x] = values[threadIdx.x];
}

// A barrier of which no code is made keeps its place in the text.
#define IN_HALVES 0
__global__ void never(int *data) {
  data[threadIdx.x] += 1;
  __syncthreads();
  if (IN_HALVES) {
    asm volatile("bar.sync 3, 32;" ::: "memory");
    __barrier_sync_count(4, 32);
  }
  data[threadIdx.x] *= data[threadIdx.x ^ 1];
}
