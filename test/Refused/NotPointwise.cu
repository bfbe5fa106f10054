// A consumer whose threads work together, or that does more than one element at a time, is refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:sums --block 128 \
// RUN:   --link scale.mid=sums.in --link scale.n=sums.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=BLOCKSUM '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:first --block 128 \
// RUN:   --link scale.mid=first.in --link scale.n=first.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=FIRST '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0

__global__ void scale(const float *__restrict__ in, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    mid[i] = 2 * in[i];
}

// BLOCKSUM: {{[^ ]*}}:[[#@LINE+9]]:3: error: the kernel is not pointwise: sums: it synchronises:
// BLOCKSUM-SAME: __syncthreads; scale stores mid[i] at {{[^ ]*}}:13:5 [NotPointwise]
// BLOCKSUM: note: let each thread compute only the element of its own linear index, below a bound
// BLOCKSUM: {{[^ ]*}}:[[#@LINE+4]]:20: error: {{.*}} sums: it has shared memory: part; scale stores
// BLOCKSUM: error: {{.*}} sums: 'part[threadIdx.x]' depends on the thread other than by its linear index
__global__ void sums(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float part[128];
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n)
    out[i] = part[0];
}

// FIRST: {{[^ ]*}}:[[#@LINE+4]]:7: error: the kernel is not pointwise: first: 'threadIdx.x == 0' depends
// FIRST-SAME: on the thread other than by its linear index: threadIdx.x; scale stores mid[i] at {{.*}} [NotPointwise]
__global__ void first(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    return;
  if (i < n)
    out[i] = in[i];
}
