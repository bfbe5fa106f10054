// What the kernels of a block hand on must be there whatever the arguments: each refusal names the two accesses.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:byAll %s:divided --block 128 --link byAll.sum=divided.sum -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=ALL '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:someRows %s:divided --block 128 --link someRows.sum=divided.sum -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=SOME '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:inTwo %s:divided --block 128 --link inTwo.sum=divided.sum -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=TWO '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:twice %s:copied --block 128 --link twice.out=copied.in -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=LENGTHS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:twice %s:plain --block 128 --link twice.out=plain.in --link twice.columns=plain.columns -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=ALIAS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:half %s:copied --block 128 --link half.out=copied.in --link half.columns=copied.columns -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=HALF '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:every256th %s:divided --block 512 --link every256th.sum=divided.sum -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:moved %s:divided --block 512 --link moved.sum=divided.sum -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=MOVED
// RUN: ls -A %t | count 0

__global__ void byAll(const float *__restrict__ in, float *__restrict__ sum, int columns) {
  float total = 0;
  for (int i = 0; i < columns; ++i)
    total += in[blockIdx.x * columns + i];
  // ALL: error: {{.*}} byAll: sum[blockIdx.x] at {{[^ ]*}}:[[#@LINE+1]]:3, not by `if (threadIdx.x == 0)` alone; divided takes it as sum [StoredSometimes]
  sum[blockIdx.x] = total;
}

// A variable is the first thread's if it is the index, whole and unchanged.
// NARROW: error: {{.*}} every256th: sum[blockIdx.x] at {{.*}}, not by `if (threadIdx.x == 0)` alone
__global__ void every256th(const float *__restrict__ in, float *__restrict__ sum, int columns) {
  const unsigned char thread = threadIdx.x;
  if (thread == 0)
    sum[blockIdx.x] = in[blockIdx.x * columns + threadIdx.x];
}
// MOVED: error: {{.*}} moved: sum[blockIdx.x] at {{.*}}, not by `if (threadIdx.x == 0)` alone
__global__ void moved(const float *__restrict__ in, float *__restrict__ sum, int columns) {
  int thread = threadIdx.x;
  for (int i = 0; i < 2; ++i) {
    if (thread == 0)
      sum[blockIdx.x] = in[blockIdx.x * columns + i];
    --thread;
  }
}

__global__ void someRows(const float *__restrict__ in, float *__restrict__ sum, int rows, int columns) {
  if (blockIdx.x < rows)
    if (threadIdx.x == 0)
      // SOME: error: {{.*}} someRows stores sum[blockIdx.x] at {{[^ ]*}}:[[#@LINE+1]]:7, only if blockIdx.x < someRows.rows; divided: sum[blockIdx.x] at {{.*}} [StoredSometimes]
      sum[blockIdx.x] = in[blockIdx.x * columns];
}

__global__ void inTwo(const float *__restrict__ in, float *__restrict__ sum, int columns) {
  if (threadIdx.x == 0)
    sum[blockIdx.x] = in[blockIdx.x * columns];
  // TWO: error: {{.*}} inTwo: sum[blockIdx.x] at {{[^ ]*}}:[[#@LINE-1]]:5 and sum[blockIdx.x] at {{[^ ]*}}:[[#@LINE+2]]:5; divided takes it as sum [StoredTwice]
  if (threadIdx.x == 0)
    sum[blockIdx.x] = 1;
}

__global__ void divided(const float *__restrict__ in, const float *__restrict__ sum, float *__restrict__ out,
                        int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] / sum[blockIdx.x];
}

__global__ void twice(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = 2 * in[blockIdx.x * columns + i];
}

__global__ void copied(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    // LENGTHS: error: {{.*}} copied: in[blockIdx.x * columns + i] at {{[^ ]*}}:[[#@LINE+1]]:37; twice stores {{.*}}, rows of copied.columns elements, copied.columns apart; twice by rows of twice.columns, twice.columns apart [DifferentBounds]
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i];
}

__global__ void plain(const float *in, float *out, const int *__restrict__ order, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    // ALIAS: {{[^ ]*}}:[[#@LINE+1]]:74: error: {{.*}} plain: order[0] at {{.*}} twice: out[{{.*}} [MayAlias]
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] + order[order[0]];
}

__global__ void half(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    if (in[blockIdx.x * columns + i] > 0)
      // HALF: error: {{.*}} half: out[blockIdx.x * columns + i] at {{[^ ]*}}:[[#@LINE+1]]:7, not in every turn of its loop; copied takes it as in [StoredSometimes]
      out[blockIdx.x * columns + i] = 0;
}
