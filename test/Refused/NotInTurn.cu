// Where no form keeps intermediates in registers, kernels may be played in turn, but not where a thread or a block needs what
// another one stores.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:bright %s:dark %s:blend --link bright.out=blend.a --link dark.out=blend.b \
// RUN:   --link bright.width=dark.width --link bright.width=blend.width --link bright.height=dark.height \
// RUN:   --link bright.height=blend.height --distinct --block 16x8 -o %t/out.cu 2>&1 | FileCheck %s
// A kernel without a bound has as many elements as its launch has threads: none of a row that others leave out.
// RUN: %exits 1 %cufuse fuse %s:twoRows %s:halve --link twoRows.out=halve.x --distinct --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TURN
// TURN: note: no form fits: {{.*}}in turn: a block may use what another kernel stores, or still needs, in another block
// RUN: %exits 1 %cufuse fuse %s:halve %s:someRows --link halve.x=someRows.in --distinct --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=ROW
// ROW: error: {{.*}} halve has no bound, and the others' blocks may have no row [NotByRow]
// Nor of what they leave out of each row.
// RUN: %exits 1 %cufuse fuse %s:halve %s:partOfRows --link halve.x=partOfRows.in --distinct --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=ROW
// One thread of the grid makes what all take: no launch for more than one element would be one.
// RUN: %exits 1 %cufuse fuse %s:weights %s:update --link weights.w=update.w --link weights.count=update.count --distinct \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: note: no form fits: {{.*}}in turn: a block may use what another kernel stores, or still needs, in another block; {{.*}}follow (--cooperative needs no form)
// RUN: %cufuse fuse --vertical %s:weights %s:update --cooperative --dry-run -o %t/out.cu
// RUN: %cufuse fuse --vertical %s:weights %s:update --distinct --dry-run -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: note: by the first block, since
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:halve %s:allRows --link halve.x=allRows.in --distinct --block 64 -o %t/out.cu

__global__ void bright(const float *in, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = in[y * width + x] + 1;
}

__global__ void dark(const float *in, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = in[y * width + x] - 1;
}

__global__ void blend(const float *a, const float *b, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x + 1 < width && y < height)
    // CHECK: error: a block may use what another kernel stores, or still needs, in another block: {{.*}} [NotInTurn]
    out[y * width + x] = a[y * width + x] + b[y * width + x + 1];
}

__global__ void halve(float *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = x[i] / 2;
}

__global__ void twoRows(const float *in, float *out, int rows, int columns) {
  const int row = blockIdx.x * 2 + threadIdx.x / 32;
  if (row < rows)
    for (int i = threadIdx.x % 32; i < columns; i += 32)
      out[row * columns + i] = in[row * columns + columns - 1 - i];
}

__global__ void someRows(const float *in, float *out, int rows, int columns) {
  if (blockIdx.x < rows)
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
      out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] + 1;
}

__global__ void partOfRows(const float *in, float *out, int columns, int used) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    if (i < used)
      out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] + 1;
}

__global__ void allRows(const float *in, float *out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] + 1;
}

__global__ void weights(const float *costs, float *w, int count) {
  if (blockIdx.x != 0 || threadIdx.x != 0)
    return;
  float sum = 0;
  for (int k = 0; k < count; ++k)
    sum += costs[k];
  for (int k = 0; k < count; ++k)
    w[k] = costs[k] / sum;
}
__global__ void update(float *out, const float *in, const float *w, int count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < count; ++k)
    sum += w[k] * in[k * n + i];
  out[i] = sum;
}
void step(const float *costs, float *w, float *out, const float *in, int count, int n) {
  weights<<<1, 1>>>(costs, w, count);
  update<<<(n + 255) / 256, 256>>>(out, in, w, count, n);
}
