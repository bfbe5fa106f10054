// A producer is computed again for each load of its elements only as often as allowed, and as known.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --distinct --vertical %s:scale %s:sum --block 128 \
// RUN:   --link scale.mid=sum.in --dead mid -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECK '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --distinct --vertical %s:scale %s:gather --block 128 --recompute 100 \
// RUN:   --link scale.mid=gather.in --dead mid -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=GATHER '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %exits 1 %cufuse fuse --distinct --vertical %s:scale %s:halves --block 128 --link scale.mid=halves.in --dead mid \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=HALVES '--implicit-check-not={{(error|refused):}}'
// RUN: %cufuse fuse --distinct --vertical %s:scale %s:table --block 128 --recompute 2 --link scale.mid=table.in --dead mid \
// RUN:   -o %t/table.cu
// RUN: FileCheck %s --check-prefix=TABLE --input-file %t/table.cu
// RUN: %cufuse fuse --distinct --vertical %s:scale %s:sum --block 128 --recompute 3 \
// RUN:   --link scale.mid=sum.in --dead mid -o %t/sum.cu
// RUN: %cufuse fuse --distinct --vertical %s:scale %s:gather --block 128 --recompute any \
// RUN:   --link scale.mid=gather.in --dead mid -o %t/gather.cu
// RUN: %exits 2 %cufuse fuse --distinct --vertical %s:scale %s:gather --recompute often --link scale.mid=gather.in -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=OFTEN
// OFTEN: --recompute 'often' is neither a number of times nor 'any'

__global__ void scale(const float *__restrict__ x, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = 2 * x[i];
}

// Three neighbours.
__global__ void sum(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: {{[^ ]*}}:[[#@LINE+3]]:14: error: the consumer would compute elements of the intermediate more often than
    // CHECK-SAME: allowed: sum: in[i] at {{[^ ]*}}: 3 times; scale stores mid[i] at {{.*}} [Recomputed]
    // CHECK: note: allow it with
    out[i] = in[i] + in[i + 1] + in[i + 2];
}

__global__ void gather(const float *__restrict__ in, const int *__restrict__ from, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    // GATHER: error: {{.*}} gather: in[from[i]] at {{.*}}; scale stores mid[i] at {{.*}}: how often each element is
    out[i] = in[from[i]];
}

// 1 - 1 / 2 is 2 - 2 / 2.
__global__ void halves(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // HALVES: error: {{.*}} halves: in[i - i / 2] at {{.*}}; scale stores mid[i] at {{.*}}: how often each element is
    out[i] = in[i - i / 2];
}

// Twice in a block, and again in each: by how many there are, the launch says.
// TABLE: {{^ *}}2ll * grid.x > 2ll ||
__global__ void table(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i % 64];
}
