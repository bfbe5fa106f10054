// Threads that read one place at different times may find different values there, where something other than the block's
// barrier keeps them in order. What they read by one name, others may store by another.
// RUN: %cufuse inspect --full %s -- -rdc=true | FileCheck %s

__device__ int limit;
__constant__ int fixed;
__device__ const int table[2] = {1, 2};

// The host may give the variable's address as an argument.
// CHECK: variable(
// CHECK: leaves early {{.*}}:[[#@LINE+4]]:{{.*}}: this branch skips a barrier of the block
__global__ void variable(int *p, int *out) {
  if (atomicAdd(out, 1) == 40)
    *p = 1;
  for (int i = 0; i < limit; ++i)
    __syncthreads();
}
// A bound that is constant is reached once: before that, others find something else.
// CHECK: bound(
// CHECK: leaves early {{.*}}:[[#@LINE+4]]:{{.*}}: this branch skips a barrier of the block
__global__ void bound(int *__restrict__ p, int *__restrict__ out) {
  if (atomicAdd(out, 1) == 40)
    atomicMax(p, 1);
  for (int i = 0; i < *p; ++i)
    __syncthreads();
}
// What is constant, what other variables hold and what only `p` leads to, nobody stores.
// CHECK: constants(
// CHECK-NOT: leaves early
__global__ void constants(int *__restrict__ p, int *__restrict__ out, int n) {
  __shared__ int own;
  if (threadIdx.x == 0)
    own = n;
  __syncthreads();
  if (atomicAdd(out, 1) == 40)
    *p = 1;
  for (int i = 0; i < fixed + table[n] + limit + own; ++i)
    __syncthreads();
}

// All dynamic shared memory begins at one place.
__device__ void put() {
  extern __shared__ float numbers[];
  numbers[0] = 1;
}
// CHECK: dynamicShared(
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void dynamicShared(int *__restrict__ out) {
  extern __shared__ int counts[];
  if (atomicAdd(out, 1) == 40)
    put();
  for (int i = 0; i < counts[0]; ++i)
    __syncthreads();
}

// Lanes may be there before others have met them, and behind that.
// CHECK: meetings(
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void meetings(int *out) {
  __shared__ int flag;
  flag = 0;
  __syncthreads();
  if (threadIdx.x % 32 < 16)
    __syncwarp();
  const int seen = flag;
  if (threadIdx.x % 32 >= 16) {
    flag = 1;
    __syncwarp();
  }
  if (seen == 0)
    __syncthreads();
  out[threadIdx.x] = seen;
}
// CHECK: lanesOfMeetings(
// CHECK: leaves early {{.*}}: this branch skips __shfl_xor_sync
__global__ void lanesOfMeetings(int *out) {
  __shared__ int flag;
  flag = 0;
  __syncwarp();
  if (threadIdx.x % 32 < 16)
    __syncwarp();
  const int seen = flag;
  if (threadIdx.x % 32 >= 16) {
    flag = 1;
    __syncwarp();
  }
  __syncthreads();
  if (seen == 0)
    out[threadIdx.x] = __shfl_xor_sync(0xffffffff, seen, 1);
}

// CHECK: withoutCache(
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void withoutCache(const int *__restrict__ p, int *out) {
  if (__ldcv(p))
    __syncthreads();
  *out = 1;
}
// CHECK: bySecondLevel(
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void bySecondLevel(const int *__restrict__ p, int *out) {
  if (__ldcg(p))
    __syncthreads();
  *out = 1;
}
// CHECK: hinted(
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void hinted(int *p, int *out) {
  if (atomicAdd(out, 1) == 40)
    *p = 1;
  for (int i = 0; i < __ldca(p); ++i)
    __syncthreads();
}
// A load stores nothing, and nobody stores where these read.
// CHECK: hintedAlone(
// CHECK-NOT: leaves early
__global__ void hintedAlone(const int *__restrict__ p, int *__restrict__ out) {
  atomicAdd(out, __ldca(p + threadIdx.x));
  for (int i = 0; i < __ldca(p); ++i)
    __syncthreads();
}

struct Pair {
  int first, second;
};
// Every thread has an argument of its own where it writes there, however it comes to its address.
// CHECK: ownArgument(
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void ownArgument(Pair pair, int *out, int n) {
  (&pair.first)[n] = threadIdx.x;
  const unsigned long long at = reinterpret_cast<unsigned long long>(&pair);
  for (int i = 0; i < *reinterpret_cast<int *>(at + 4); ++i)
    __syncthreads();
  *out = 1;
}
