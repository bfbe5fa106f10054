// Where the grid says in one dimension how much a kernel stores, a condition on another one does not, and launches with two
// grids are no one launch. Nor is a kernel played in a part of its grid's dimensions.
// RUN: %exits 1 %cufuse fuse --vertical %s:rowSum %s:rowDivide -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRIDS
// RUN: %exits 1 %cufuse fuse --vertical %s:rowSum %s:rowDivide --link rowSum.s=rowDivide.s --link rowSum.cols=rowDivide.cols \
// RUN:   --distinct --block 128 -o %t.cu 2>&1 | FileCheck %s --check-prefix=TURN
// GRIDS: no_one_grid.cu:[[#@LINE+19]]:3: error: the launches at {{.*}} are not seen to have one grid, which says how much
// TURN: in turn: a block may use what another kernel stores
__global__ void rowSum(const float *x, float *s, int cols) {
  __shared__ float part[128];
  float v = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x)
    v += x[blockIdx.x * cols + i];
  part[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x == 0)
    s[blockIdx.x] = part[0] + part[1];
}
__global__ void rowDivide(float *x, const float *s, int cols) {
  int c = blockIdx.y * blockDim.x + threadIdx.x, r = blockIdx.x;
  if (c < cols)
    x[r * cols + c] /= s[r];
}
void run(float *x, float *s, int rows, int cols) {
  rowSum<<<rows, 128>>>(x, s, cols);
  rowDivide<<<dim3(rows, (cols + 127) / 128), 128>>>(x, s, cols);
}
