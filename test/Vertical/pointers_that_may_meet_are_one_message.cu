// RUN: %exits 1 %cufuse fuse %s:move %s:turn --link move.n=turn.n --link move.x=turn.x --block 64 -o %t.cu 2>&1 | FileCheck %s
// CHECK: error: two pointers may lead to the same memory, {{.*}}: turn: {{.*}}; move: {{.*}}; so may a with y and a with z [MayAlias]
// CHECK: note: which elements of turn.a are used is not known at the launch; if they never do, say --distinct
// CHECK: so may b with y and b with z [MayAlias]
// CHECK-NOT: MayAlias
__global__ void move(const float *from, float *x, float *y, float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = from[i], y[i] = from[i] * 2, z[i] = from[i] * 3;
}
__global__ void turn(const float *x, const int *order, const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] + a[order[i]] + b[order[i]];
}
