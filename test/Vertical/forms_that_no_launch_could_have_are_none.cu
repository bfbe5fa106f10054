// By row, kernels over elements work on whole rows. Where others' rows are a part of them in every launch, another form is
// taken; and volatile arrays stay in memory.
// RUN: %cufuse fuse --vertical %s:twice %s:add %s:offset --name o -o %t.cu 2>&1 | FileCheck %s --implicit-check-not "columns - 1 alone"
// RUN: %cufuse fuse --vertical %s:twice %s:addHalf %s:offset --name o -o %t.cu 2>&1 | FileCheck %s
// CHECK: note: In turn, a block its part of every kernel: twice, then {{add|addHalf}}, then offset. In memory: twice.y.
// RUN: %cufuse fuse --vertical %s:fresh %s:plus --name o -o %t.cu 2>&1 | FileCheck %s --check-prefix FRESH
// FRESH: note: In turn, {{.*}}: fresh, then plus. In memory: fresh.y.
__global__ void twice(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * 2;
}
__global__ void add(float *y, const float *z, int columns) {
  for (int i = threadIdx.x; i < columns - 1; i += blockDim.x)
    y[blockIdx.x * columns + i] += z[blockIdx.x * columns + i];
}
__global__ void addHalf(float *y, const float *z, int columns) {
  for (int i = threadIdx.x; i < columns / 2; i += blockDim.x)
    y[blockIdx.x * columns + i] += z[blockIdx.x * columns + i];
}
__global__ void offset(const float *y, const float *u, float *out, int columns, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = y[i] + u[i / columns];
}
void steps(const float *x, float *y, const float *z, const float *u, float *out, int rows, int columns) {
  twice<<<(rows * columns + 63) / 64, 64>>>(x, y, rows * columns);
  add<<<rows, 64>>>(y, z, columns);
  offset<<<(rows * columns + 63) / 64, 64>>>(y, u, out, columns, rows * columns);
}
void halves(const float *x, float *y, const float *z, const float *u, float *out, int rows, int columns) {
  twice<<<(rows * columns + 63) / 64, 64>>>(x, y, rows * columns);
  addHalf<<<rows, 64>>>(y, z, columns);
  offset<<<(rows * columns + 63) / 64, 64>>>(y, u, out, columns, rows * columns);
}
__global__ void fresh(const float *x, volatile float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * 2;
}
__global__ void plus(const float *y, float *z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = y[i] + 1;
}
void volatiles(const float *x, float *y, float *z, int n) {
  fresh<<<(n + 63) / 64, 64>>>(x, y, n);
  plus<<<(n + 63) / 64, 64>>>(y, z, n);
}
