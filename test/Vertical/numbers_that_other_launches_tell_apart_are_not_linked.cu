// Two numbers that are equal where the kernels are launched first are two where they are launched again: what all launches have in
// common is linked; of products, too.
// RUN: %cufuse fuse --vertical %s:product %s:add --block 64 --name f -o %t.cu 2>&1 | FileCheck %s
// CHECK: linked as launched at {{.*}}: --link product.out=add.in --link product.rows=add.n{{$}}
// None is the other launch's number: its own argument stays.
// RUN: sed 's/add<<<1, 64>>>(out, hidden, rows)/add<<<1, 64>>>(out, hidden, rows - 1)/' %s > %t.none.cu
// RUN: %cufuse fuse --vertical %t.none.cu:product %t.none.cu:add --cooperative --block 64 --block 64 --name f -o %t.cu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: linked as launched at {{.*}}: --link product.out=add.in{{$}}
// RUN: %cufuse fuse --vertical %s:twice %s:add --block 64 --block 64 --cooperative --name f -o %t.cu 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: linked as launched at {{.*}}: --link twice.out=add.in --link twice.pairs*2=add.n{{$}}
__global__ void product(float *out, const float *w, const float *in, int columns, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < columns; ++j)
    sum += w[i * columns + j] * in[j];
  out[i] = sum;
}
__global__ void twice(float *out, int pairs, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs)
    out[2 * i] = out[2 * i + 1] = columns;
}
__global__ void add(float *x, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += in[i];
}
void both(float *hidden, const float *w, const float *in, float *out, int columns, int rows) {
  product<<<1, 64>>>(hidden, w, in, rows, rows);
  add<<<1, 64>>>(out, hidden, rows);
  product<<<1, 64>>>(hidden, w, in, columns, rows);
  add<<<1, 64>>>(out, hidden, rows);
}
void again(float *hidden, float *out, int pairs, int other) {
  twice<<<1, 64>>>(hidden, pairs, 2 * pairs);
  add<<<1, 64>>>(out, hidden, 2 * pairs);
  twice<<<1, 64>>>(hidden, pairs, other);
  add<<<1, 64>>>(out, hidden, 2 * pairs);
}
