// A producer that stores an element again, or cannot be shown not to, is refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:twice %s:take --block 128 \
// RUN:   --link twice.mid=take.in --link twice.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=TWICE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:plane %s:take --block 32x4 \
// RUN:   --link plane.mid=take.in --link plane.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=PLANE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:tiles %s:take --block 32 \
// RUN:   --link tiles.mid=take.in --link tiles.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=TILES '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:loops %s:take --block 128 \
// RUN:   --link loops.mid=take.in --link loops.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=LOOPS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:matrix %s:take --block 128 \
// RUN:   --link matrix.mid=take.in --link 'matrix.rows*n=take.n' -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=MATRIX '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:halved %s:take --block 16x16 --link halved.mid=take.in \
// RUN:   --link 'halved.rows*n=take.n' -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=HALVED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:pairs %s:take --block 64 --link pairs.mid=take.in --link pairs.n=take.n \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=PAIRS
// RUN: ls -A %t | count 0
// Where the consumer loads, the last store counts.
// RUN: %cufuse fuse --in-registers --vertical %s:twice %s:mirror --block 128 --link twice.mid=mirror.in --dead twice.mid -o %t/out.cu

__global__ void twice(float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    mid[i] = 0;
    // TWICE: {{[^ ]*}}:[[#@LINE+4]]:5: error: it is not shown that every element of the intermediate is stored once:
    // TWICE-SAME: twice: mid[i] at {{[^ ]*}}:[[#@LINE-2]]:5 and mid[i] at {{[^ ]*}}:[[#@LINE+3]]:5; take takes it as in
    // TWICE-SAME: [StoredTwice]
    // TWICE: note: store every element by one statement
    mid[i] = i;
  }
}

// The block has a second dimension, whose threads do the same again.
__global__ void plane(float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    // PLANE: error: {{.*}} plane: mid[i] at {{[^ ]*}}:[[#@LINE+1]]:5: once for every threadIdx.y; take takes it as in
    mid[i] = i;
}

// Tiles of 16 from a block of 32 overlap.
__global__ void tiles(float *__restrict__ mid, int n) {
  const int i = blockIdx.x * 16 + threadIdx.x;
  if (i < n)
    // TILES: error: {{.*}} tiles: mid[i] at {{[^ ]*}}:[[#@LINE+1]]:5: 16 * blockIdx.x + threadIdx.x skips or repeats
    mid[i] = i;
}

__global__ void loops(float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int turn = 0; turn < 3; ++turn)
    if (i < n)
      // LOOPS: error: {{.*}} loops: mid[i] at {{[^ ]*}}:[[#@LINE+1]]:7: once for every turn of a loop; take takes it
      mid[i] = turn;
}

// The guard of a row does not keep a column inside it.
__global__ void matrix(float *__restrict__ mid, int rows, int n) {
  const int column = threadIdx.x, row = blockIdx.x;
  if (row < rows)
    // MATRIX: error: {{.*}} matrix: mid[row * n + column] at {{.*}}: no guards show that {{.*}} counts the elements
    mid[row * n + column] = 1;
}

__global__ void take(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}

// Rows of 32 and columns of 64 are no parts of the same numbers.
__global__ void halved(float *__restrict__ mid, int rows, int n) {
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 1024; i += 256) {
    const int row = blockIdx.y * 32 + i / 32, column = blockIdx.x * 64 + i % 64;
    if (row < rows && column < n)
      // HALVED: error: {{.*}} halved: mid[row * n + column] at {{[^ ]*}}:[[#@LINE+1]]:7: {{.*}} does not start at 0; take takes it
      mid[row * n + column] = i;
  }
}

__global__ void mirror(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i];
}

// Of an odd number of elements, the last is not stored.
__global__ void pairs(float *__restrict__ mid, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    *reinterpret_cast<float4 *>(mid + i) = make_float4(i, i, i, i);
  } else {
    // PAIRS: error: it is not shown that every element of the intermediate is stored once: pairs:
    if (i + 1 < n)
      *reinterpret_cast<float2 *>(mid + i) = make_float2(i, i);
    if (i + 3 < n)
      *reinterpret_cast<float2 *>(mid + i + 2) = make_float2(i, i);
  }
}
