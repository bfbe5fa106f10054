// Where no form fits, the first line says why each does not, and what follows are the reasons of the nearest one, with
// remedies that can be pasted.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers %s:shift %s:square --link shift.x=square.x --link shift.n=square.n --distinct --block 64 \
// RUN:   -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=SQUARE '--implicit-check-not=[LiveIntermediate]'
// SQUARE: note: no form fits: at loads: the intermediate would be computed where it is loaded, and would no longer be stored; one loop: square is not pointwise:
// SQUARE-SAME: {{.*}}; by row: no kernel that takes an intermediate works on rows{{.*}} the nearest, one loop, follow
// SQUARE-NEXT: error: {{.*}}square: {{.*}} depends on the thread other than by its linear index: {{.*}} [NotPointwise]
// RUN: %exits 1 %cufuse fuse --in-registers %s:shift %s:parts --link shift.x=parts.in --block 64 -o %t/no.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=PARTS
// PARTS-NOT: no form
// PARTS-DAG: note: if they are equal, say --link 'parts.columns*rows=shift.n'
// PARTS-DAG: note: if they never do, say --distinct, or declare shift.x and shift.bias __restrict__

__global__ void shift(float *x, const float *bias, int channels, const int *__restrict__ order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += bias[i % channels] + order[order[0]];
}

__global__ void square(const float *x, float *out, int n) {
  const int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] * x[n - 1 - i];
}

__global__ void parts(const float *in, float *out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns)
    out[i] = in[i];
}
