// A quotient by a negative number is none of the quotients that proofs know: where it is compared without a sign, it bounds
// nothing, and nothing is proved by it.
// RUN: %cufuse fuse --vertical %s:differences %s:sums --distinct --block 64 --name o -o %t.cu
// RUN: FileCheck %s --input-file %t.cu
// CHECK: {{^}}  if (grid.y != 1 || grid.z != 1 ||
// CHECK-NEXT: anyMeet({loads(x, 4ll + 256ll * grid.x),
// CHECK-NEXT: stores(y, 256ll * grid.x),
__global__ void differences(const int *x, int *y, int n) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / -2)
    y[i] = x[i + 1] - x[i];
}
__global__ void sums(const int *y, int *s, int n) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / -2)
    s[i] = y[i] + 1;
}
void run(const int *x, int *y, int *s, int n) {
  differences<<<4, 64>>>(x, y, n);
  sums<<<4, 64>>>(y, s, n);
}
