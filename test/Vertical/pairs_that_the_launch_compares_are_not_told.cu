// Of pointers that may lead to one array, those are told of which the launch cannot compare what is used.
// RUN: %exits 1 %cufuse fuse --vertical %s:twice %s:count --block 64 --name o -o %t.cu 2>&1 | FileCheck %s --implicit-check-not "twice: x[i] at {{.*}}; y[i]"
// CHECK: error: two pointers may lead to the same memory, {{.*}}: count: atomicAdd(&h[(int)y[i] & 7], 1)
// CHECK: note: which elements of count.h are used is not known at the launch; if they never do, say --distinct
// Others are compared all the same.
// RUN: %cufuse fuse --vertical %s:twice %s:gather --block 64 --dead twice.y --name o -o %t.cu
// RUN: FileCheck %s --input-file %t.cu --check-prefix GATHER
// GATHER: meet(x, 4ll * n, z, 4ll * n)
// GATHER-NEXT: meet(order, 4ll * n, z, 4ll * n)
__global__ void twice(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * 2;
}
__global__ void count(const float *y, int *h, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&h[(int)y[i] & 7], 1);
}
__global__ void gather(const float *y, const int *order, const float *table, float *z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = y[i] + table[order[i]];
}
void launches(float *x, float *y, float *z, int *h, const int *order, const float *table, int n) {
  twice<<<(n + 63) / 64, 64>>>(x, y, n);
  count<<<(n + 63) / 64, 64>>>(y, h, n);
}
void others(float *x, float *y, float *z, int *h, const int *order, const float *table, int n) {
  twice<<<(n + 63) / 64, 64>>>(x, y, n);
  gather<<<(n + 63) / 64, 64>>>(y, order, table, z, n);
}
