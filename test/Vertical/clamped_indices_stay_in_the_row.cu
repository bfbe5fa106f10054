// In turn, an index that is one of several by `min` lies in the block's row if each of them does where it is the one.
// RUN: %cufuse fuse %s:scale %s:rowMax --block 32 --link scale.x=rowMax.x --link 'scale.rows*columns=rowMax.n' \
// RUN:   --link scale.columns=rowMax.columns --distinct -o %t.cu 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: In turn, a block its part of every kernel: scale, then rowMax
// RUN: %exits 1 %cufuse fuse %s:scale %s:beyond --block 32 --link scale.x=beyond.x --link scale.columns=beyond.columns \
// RUN:   --distinct -o %t.cu 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: in turn: a block may use what another kernel stores, or still needs, in another block

__global__ void scale(float *x, float a, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns)
    x[i] *= a;
}

__global__ void rowMax(const float *x, float *most, int n, int columns) {
  const float *row = x + blockIdx.x * columns;
  float largest = row[0];
  for (int i = threadIdx.x; i < columns; i += blockDim.x * 4)
    for (int k = 0; k < 4; ++k)
      largest = fmaxf(largest, row[min(columns - 1, i + k * int(blockDim.x))]);
  for (int lanes = 16; lanes > 0; lanes /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, lanes));
  if (threadIdx.x == 0)
    most[blockIdx.x] = largest + n;
}

__global__ void beyond(const float *x, float *most, int columns) {
  const float *row = x + blockIdx.x * columns;
  float largest = row[0];
  for (int i = threadIdx.x; i < columns; i += blockDim.x * 4)
    for (int k = 0; k < 4; ++k)
      largest = fmaxf(largest, row[min(columns, i + k * int(blockDim.x))]);
  for (int lanes = 16; lanes > 0; lanes /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, lanes));
  if (threadIdx.x == 0)
    most[blockIdx.x] = largest;
}
