// A kernel whose blocks say how much it stores plays as many as its launch has: where a block plays several, the launch is
// asked for that, or it is refused where no argument says their number.
// RUN: %cufuse fuse --vertical %s:centre %s:twice --distinct --name f -o %t.cu && FileCheck %s --input-file=%t.cu
// CHECK: rows != 4ll * grid.x ||
// RUN: not %cufuse fuse --vertical %s:centre %s:thrice --distinct --name f -o %t.cu 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: in turn: producer and consumer work on different numbers of elements
// By links alone, the user says it.
// RUN: %cufuse fuse %s:centre %s:thrice --link centre.y=thrice.y --link centre.columns=thrice.columns --distinct --block 128 \
// RUN:   --name f -o %t.cu 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: thrice has 4 blocks for each of centre's.
// So are its threads, where these say it: blocks are of one shape, too.
// RUN: not %cufuse fuse --vertical %s:fill %s:more --distinct --name f -o %t.cu 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: are not seen to have one grid
__global__ void centre(const float *x, float *y, int rows, int columns) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = lane; i < columns; i += 32)
    sum += x[row * columns + i];
  for (int k = 16; k; k /= 2)
    sum += __shfl_xor_sync(~0u, sum, k);
  for (int i = lane; i < columns; i += 32)
    y[row * columns + i] = x[row * columns + i] - sum / columns;
}
__global__ void twice(const float *y, float *z, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    z[blockIdx.x * columns + i] = y[blockIdx.x * columns + i] * 2;
}
__global__ void thrice(const float *y, float *z, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    z[blockIdx.x * columns + i] = y[blockIdx.x * columns + i] * 3;
}
__global__ void fill(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * 2;
}
__global__ void more(const float *y, float *z) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  z[i] = y[i] + 1;
}
void run(const float *x, float *y, float *z, int rows, int columns, int tokens, int g) {
  centre<<<(rows + 3) / 4, 128>>>(x, y, rows, columns);
  twice<<<rows, 128>>>(y, z, columns);
  centre<<<(rows + 3) / 4, 128>>>(x, y, rows, columns);
  thrice<<<tokens, 128>>>(y, z, columns);
  fill<<<g, 64>>>(x, y);
  more<<<g, 128>>>(y, z);
}
