// With few values given, an array is a structure of them and of zeros to Clang, and where it is only declared, an array.
// RUN: %cufuse fuse %s:scaled %s:shifted --block 64 --block 64 -o %t.cu -- -rdc=true
// RUN: FileCheck %s --input-file=%t.cu
// CHECK: extern __constant__ float table[9][9];
__constant__ float table[9][9] = {{1, 2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {1}};
__global__ void scaled(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= table[i % 9][i % 3];
}
__global__ void shifted(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += table[i % 9][8];
}
void fill(const float *values) { cudaMemcpyToSymbol(table, values, sizeof(table)); }
