// A consumer that loads what another block stored is refused, and so is one whose index is not known. What another thread of
// the block stored goes in turn.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:sums %s:sharesOfNext --block 128 --link sums.sum=sharesOfNext.sum \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=NEXT '--implicit-check-not={{(error|refused):}}'
// RUN: %cufuse fuse --vertical %s:twice %s:reversed --block 128 --link twice.out=reversed.in --distinct \
// RUN:   --link twice.columns=reversed.columns -o %t.cu 2>&1 | FileCheck %s --check-prefix=REVERSED
// RUN: %exits 1 %cufuse fuse --vertical %s:twice %s:gathered --block 128 --link twice.out=gathered.in \
// RUN:   --link twice.columns=gathered.columns -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=GATHERED '--implicit-check-not={{(error|refused):}}'
// RUN: %cufuse fuse --vertical %s:twice %s:halo --block 128 --link twice.out=halo.in --distinct \
// RUN:   --link twice.columns=halo.columns -o %t.cu 2>&1 | FileCheck %s --check-prefix=HALO
// RUN: %exits 1 %cufuse fuse --vertical %s:twice %s:transposed --block 128 --link twice.out=transposed.in \
// RUN:   --link twice.columns=transposed.columns -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=TRANSPOSED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical %s:sums %s:shares %s:elsewhere --block 128 --link sums.sum=shares.sum \
// RUN:   --link sums.columns=shares.columns -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// The grid of one that has nothing of the others may be another.
// RUN: %exits 1 %cufuse fuse --vertical %s:clear %s:sums %s:shares --block 128 --link sums.sum=shares.sum \
// RUN:   --link sums.columns=shares.columns -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CLEAR
// CLEAR: error: {{.*}}: clear takes nothing of the others, and does not work on their rows, so that its grid may be another [NotByRow]
// RUN: ls -A %t | count 0

__global__ void sums(const float *__restrict__ in, float *__restrict__ sum, int columns) {
  float total = 0;
  for (int i = 0; i < columns; ++i)
    total += in[blockIdx.x * columns + i];
  if (threadIdx.x == 0)
    sum[blockIdx.x] = total;
}

__global__ void sharesOfNext(const float *__restrict__ in, const float *__restrict__ sum, float *__restrict__ out,
                             int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    // NEXT: {{[^ ]*}}:[[#@LINE+5]]:68: error: it is not shown that a block loads what it stored itself, and each
    // NEXT-SAME: thread its own elements of a row: sharesOfNext: sum[blockIdx.x + 1] at {{[^ ]*}}:[[#@LINE+4]]:68; sums stores
    // NEXT-SAME: sum[blockIdx.x] at {{[^ ]*}}:27:5 [NotByRow]
    // NEXT: note: use --cooperative, or index p[blockIdx.x], or
    // NEXT-SAME: p[blockIdx.x * columns + i] in `for
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] / sum[blockIdx.x + 1];
}

__global__ void twice(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = 2 * in[blockIdx.x * columns + i];
}

__global__ void reversed(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    // REVERSED: In turn, a block its part of every kernel: twice, then reversed. In memory: twice.out.
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + columns - 1 - i];
}

__global__ void gathered(const float *__restrict__ in, const int *__restrict__ order, float *__restrict__ out,
                         int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    // GATHERED: {{[^ ]*}}:[[#@LINE+1]]:37: error: {{.*}} gathered: in[order[i]] at
    out[blockIdx.x * columns + i] = in[order[i]];
}

// A row's neighbours are in other threads,
__global__ void halo(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    // HALO: In turn, a block its part of every kernel: twice, then halo. In memory: twice.out.
    out[blockIdx.x * columns + i] =
        in[blockIdx.x * columns + i] - (i > 0 ? in[blockIdx.x * columns + i - 1] : 0);
}

// and a column's in other blocks.
__global__ void transposed(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    // TRANSPOSED: error: {{.*}} transposed: in[i * columns + blockIdx.x] at {{[^ ]*}}:[[#@LINE+1]]:37; twice stores
    out[blockIdx.x * columns + i] = in[i * columns + blockIdx.x];
}

// All get one grid, and nothing says that this one has a block for each row.
__global__ void shares(const float *__restrict__ in, const float *__restrict__ sum, float *__restrict__ out,
                       int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] / sum[blockIdx.x];
}

// ELSEWHERE: {{.*}}:[[#@LINE+1]]:17: error: {{.*}} elsewhere takes nothing of the others, and does not work on
__global__ void elsewhere(float *__restrict__ table) {
  __shared__ float shared[128];
  shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  table[blockIdx.x * 64 + threadIdx.x / 2] = shared[127 - threadIdx.x / 2 * 2];
}

__global__ void clear(float *__restrict__ flag) {
  if (threadIdx.x == 0)
    flag[blockIdx.x] = 0;
}
