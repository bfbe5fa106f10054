// The launcher asks whether divisors are positive that are made of arguments; those of a block are, and what a thread divides by is not
// what elements are divided by. A parameter may have the name of the launch.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %cufuse fuse %s:byBlock %s:last --link byBlock.t=last.t --link byBlock.n=last.n --dead byBlock.t --block 256 --name block -o block.cu
// RUN: FileCheck %s --input-file=block.cu --check-prefix=BLOCK --implicit-check-not='blockDim{{ }}<= 0'
// RUN: %cufuse fuse %s:byTurn %s:last --link byTurn.t=last.t --link byTurn.n=last.n --dead byTurn.t --block 256 --name turn -o turn.cu
// RUN: FileCheck %s --input-file=turn.cu --implicit-check-not='k{{ }}<= 0'
// RUN: %cufuse fuse %s:byColumns %s:last --link byColumns.t=last.t --link byColumns.n=last.n --dead byColumns.t --block 256 --name columns -o columns.cu
// RUN: FileCheck %s --input-file=columns.cu --check-prefix=COLUMNS
// BLOCK: n > 256ll * grid.x ||
// CHECK: if (n == 0)
// COLUMNS: columns <= 0
__global__ void byBlock(const float *__restrict__ x, float *__restrict__ t, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    t[i] = x[i] + i % blockDim.x;
}
__global__ void byTurn(const float *__restrict__ x, float *__restrict__ t, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int sum = 0;
    for (int k = 1; k < 5; ++k)
      sum += i % k;
    t[i] = x[i] + sum;
  }
}
__global__ void byColumns(const float *__restrict__ x, float *__restrict__ t, int n, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    t[i] = x[i] + x[i % columns];
}
__global__ void last(const float *__restrict__ Launch, const float *__restrict__ t, float *__restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = t[i] + Launch[i];
}
