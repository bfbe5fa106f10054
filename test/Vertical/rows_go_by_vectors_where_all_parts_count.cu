// With --reassociate, a row is divided otherwise among the threads of a block. What is made of their parts is made of all of
// them, and what only some launches do was seen, too: else, rows go as before.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: sh fuse.sh %cufuse lastLane allButOne flags voted byOuterWay | FileCheck %s

//--- fuse.sh
fuse=$1; shift
for k; do
  $fuse fuse kernels.cu:twice kernels.cu:$k --link twice.out=$k.in --link twice.columns=$k.columns --dead twice.out --distinct \
    --reassociate --block 64 -o $k.cu 2>&1 | grep note:
done

//--- kernels.cu
__global__ void twice(const float *in, float *out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = 2 * in[blockIdx.x * columns + i];
}

// CHECK: lastLane: {{.*}} goes by how the row is divided among threads
__global__ void lastLane(const float *in, float *out, int columns) {
  float s = -1e30f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    s = fmaxf(s, in[blockIdx.x * columns + i]);
  for (int apart = 1; apart < 32; apart *= 2) {
    const float other = __shfl_up_sync(~0u, s, apart);
    if (threadIdx.x % 32 >= apart)
      s = fmaxf(s, other);
  }
  s = __shfl_sync(~0u, s, 30);
  __shared__ float ofWarps[2];
  ofWarps[threadIdx.x / 32] = s;
  __syncthreads();
  out[blockIdx.x] = fmaxf(ofWarps[0], ofWarps[1]);
}

// CHECK: allButOne: {{.*}} goes by how the row is divided among threads
__global__ void allButOne(const float *in, float *out, int columns) {
  __shared__ float of[64];
  float s = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    s = fmaxf(s, fabsf(in[blockIdx.x * columns + i]));
  of[threadIdx.x] = s;
  __syncthreads();
  for (int k = 0; k < 63; ++k)
    if (of[k] > s)
      s = of[k];
  if (threadIdx.x == 0)
    out[blockIdx.x] = s;
}

// CHECK: flags: {{.*}} goes by how the row is divided among threads
__global__ void flags(const float *in, float *out, int columns) {
  int all = 1;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all &= in[blockIdx.x * columns + i] < 100;
  if (threadIdx.x == 0)
    out[blockIdx.x] = all;
}

__device__ float blockSum(float own) {
  __shared__ float of[64];
  of[threadIdx.x] = own;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += of[k];
  return sum;
}
// What only some launches do: by a vote, and by a way behind which another one is the same in all.
// CHECK: voted: what follows was not seen to be the same
__global__ void voted(const float *in, float *out, int columns, int asks) {
  float s = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    s += in[blockIdx.x * columns + i];
  float sum = blockSum(s);
  if (__syncthreads_or(asks < -5000))
    sum = s;
  out[blockIdx.x * columns + threadIdx.x] = sum;
}
// CHECK: byOuterWay: what follows was not seen to be the same
__global__ void byOuterWay(const float *in, float *out, int columns, int asks) {
  int isOwn = 0, more = 0;
  if (asks < 5000) {
    if (threadIdx.x < 32)
      more = 1;
  } else {
    isOwn = 1;
  }
  float s = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    s += in[blockIdx.x * columns + i];
  float sum = blockSum(s);
  if (isOwn)
    sum = s;
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum + more;
}
