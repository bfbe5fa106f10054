// Blocks of a fused launch need not run at once, so a kernel of which one block waits for another is refused. Lock-free
// loops, searches for a free place, and waits inside a block are fused.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse inspect --full %s > %t/facts
// RUN: %FileCheck %s --input-file %t/facts '--implicit-check-not=[SpinLoop]'
// RUN: %exits 1 %cufuse fuse %s:barrier %s:locks --block 128 -o %t/out.cu 2>&1 | %FileCheck %s --check-prefix=FUSE
// RUN: %cufuse fuse %s:maximum %s:inserts %s:takes %s:block %s:last %s:visits %s:levels %s:tagged --geometry blocks \
// RUN:   --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 -o %t/out.cu
#include <cuda/atomic>

// FUSE: {{[^ ]*}}:[[#@LINE+8]]:12: error: barrier: the kernel has a loop that may wait for another block: {{.*}}[SpinLoop]
// FUSE: note: leave this kernel out: fewer blocks run at once in the fused kernel
__global__ void barrier(float *data, unsigned *arrived) {
  data[threadIdx.x] += 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    // CHECK: blocker {{.*}}:[[#@LINE+1]]:12: the kernel has a loop that may wait for another block: {{.*}}[SpinLoop]
    while (atomicAdd(arrived, 0) < gridDim.x)
      __nanosleep(100);
  }
  __syncthreads();
  data[threadIdx.x] *= data[0];
}

__device__ void acquire(int *lock) {
  // CHECK: blocker {{.*}}:[[#@LINE+1]]:10: the kernel has a loop that may wait for another block: {{.*}}[SpinLoop]
  while (atomicCAS(lock, 0, 1) != 0)
    ;
}

__global__ void locks(float *data, int *lock) {
  if (threadIdx.x == 0) {
    acquire(lock);
    data[0] += 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

__global__ void flag(float *data, volatile int *ready) {
  // CHECK: blocker {{.*}}:[[#@LINE+1]]:11: the kernel has a loop that may wait for another block: {{.*}}[SpinLoop]
  while (!ready[blockIdx.x])
    ;
  data[blockIdx.x] = 1;
}

// Looks back over the blocks before, of which some are not ready.
__global__ void looksBack(int *sums, volatile int *state) {
  int sum = 0;
  for (int block = blockIdx.x - 1; block >= 0;) {
    // CHECK: blocker {{.*}}:[[#@LINE+1]]:21: the kernel has a loop that may wait for another block: {{.*}}[SpinLoop]
    const int now = state[block];
    if (now == 0)
      continue;
    sum += sums[block];
    if (now == 2)
      break;
    --block;
  }
  sums[blockIdx.x] += sum;
}

__global__ void looksBackByArithmetic(int *sums, volatile int *state) {
  int sum = 0;
  for (int block = blockIdx.x - 1; block >= 0;) {
    // CHECK: blocker {{.*}}:[[#@LINE+1]]:21: the kernel has a loop that may wait for another block: {{.*}}[SpinLoop]
    const int now = state[block];
    sum += now ? sums[block] : 0;
    block -= now != 0;
  }
  sums[blockIdx.x] += sum;
}

__global__ void assembly(float *data, const int *ready) {
  int now;
  do
    // CHECK: blocker {{.*}}:[[#@LINE+1]]:5: the kernel has a loop that may wait for another block: {{.*}}[SpinLoop]
    asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(now) : "l"(ready) : "memory");
  while (!now);
  data[threadIdx.x] = 1;
}

__global__ void library(float *data, int *ready) {
  cuda::atomic_ref<int, cuda::thread_scope_device> now(*ready);
  // CHECK: blocker {{.*}}:[[#@LINE+1]]:14: the kernel has a loop that may wait for another block: {{.*}}[SpinLoop]
  while (now.load(cuda::memory_order_acquire) == 0)
    ;
  data[threadIdx.x] = 1;
}

// One thread asks, all go on by what it writes for them.
__global__ void tells(float *data, volatile int *ready) {
  __shared__ bool done;
  do {
    if (threadIdx.x == 0)
      // CHECK: blocker {{.*}}:[[#@LINE+1]]:14: the kernel has a loop that may wait for another block: {{.*}}[SpinLoop]
      done = *ready;
    __syncthreads();
  } while (!done);
  data[threadIdx.x] = 1;
}

__global__ void system(float *data, int *lock) {
  // CHECK: blocker {{.*}}:[[#@LINE+1]]:10: the kernel has a loop that may wait for another block: {{.*}}[SpinLoop]
  while (atomicExch_system(lock, 1))
    ;
  data[0] += 1;
  atomicExch_system(lock, 0);
}

// An address that is read again and again leads to one place.
__global__ void chained(float *data, int **where) {
  // CHECK: blocker {{.*}}:[[#@LINE+1]]:10: the kernel has a loop that may wait for another block: {{.*}}[SpinLoop]
  while (*(int *volatile *)where != nullptr && atomicOr(*where, 1))
    ;
  data[0] += 1;
}

__device__ void maximumOf(float *address, float value) {
  int *bits = (int *)address, old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
}

__global__ void maximum(float *data, float *most) { maximumOf(most, data[threadIdx.x]); }

__global__ void inserts(int *table, const int *keys, unsigned size) {
  const int key = keys[threadIdx.x];
  for (unsigned slot = key % size;; slot = (slot + 1) % size) {
    const int old = atomicCAS(&table[slot], -1, key);
    if (old == -1 || old == key)
      return;
  }
}

__global__ void takes(float *data, int *next, int n) {
  for (int i; (i = atomicAdd(next, 1)) < n;)
    data[i] += 1;
}

__global__ void block(float *data, int n) {
  __shared__ volatile int arrived;
  if (threadIdx.x == 0)
    arrived = 0;
  __syncthreads();
  atomicAdd((int *)&arrived, 1);
  while (arrived < 64)
    ;
  data[threadIdx.x] = 1;
}

__global__ void last(float *data, unsigned *arrived) {
  __shared__ bool isLast;
  if (threadIdx.x == 0)
    isLast = atomicInc(arrived, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  for (int i = threadIdx.x; isLast && i < 64; i += blockDim.x)
    data[i] *= 2;
}

__global__ void visits(int *marks, const int *edges, const int *first, int *queue, int *tail, int n) {
  for (int node = blockIdx.x; node < n; node += gridDim.x)
    for (int e = first[node] + threadIdx.x; e < first[node + 1]; e += blockDim.x)
      if (atomicExch(&marks[edges[e]], 1) == 0)
        queue[atomicAdd(tail, 1)] = edges[e];
}

// Levels of a search; which places are marked, the frontier says.
__global__ void levels(int *marks, const int *edges, const int *first, int *queue) {
  __shared__ int begin, end, tail;
  if (threadIdx.x == 0)
    begin = 0, end = tail = 1;
  do {
    __syncthreads();
    for (int at = begin + threadIdx.x; at < end; at += blockDim.x)
      for (int e = first[queue[at]]; e < first[queue[at] + 1]; ++e)
        if (atomicExch(&marks[edges[e]], 1) == 0)
          queue[atomicAdd(&tail, 1)] = edges[e];
    __syncthreads();
    if (threadIdx.x == 0)
      begin = end, end = tail;
    __syncthreads();
  } while (begin < end);
}

__device__ void count(volatile unsigned *counts, unsigned tag) {
  unsigned counted;
  do {
    counted = tag | ((counts[0] & 0x07ffffff) + 1);
    counts[0] = counted;
  } while (counts[0] != counted);
}

// What is inlined does not count by itself: here, it is given shared memory.
__global__ void tagged(float *data) {
  __shared__ unsigned counts[4];
  counts[threadIdx.x / 32] = 0;
  count(&counts[threadIdx.x / 32], threadIdx.x << 27);
  data[threadIdx.x] = counts[threadIdx.x / 32];
}
