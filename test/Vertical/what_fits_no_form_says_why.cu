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
// PARTS-DAG: note: which elements of shift.order are used is not known at the launch; if they never do, say --distinct, or declare shift.x and shift.order __restrict__
// A form that lacks nothing but --distinct is the nearest, and its remedy is one.
// RUN: %exits 1 %cufuse fuse %s:mark %s:raise --link mark.a=raise.a --link mark.width=raise.width --link mark.height=raise.height \
// RUN:   --block 16x16 -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=APART '--implicit-check-not=[NotPointwise]'
// RUN: %cufuse fuse %s:mark %s:raise --link mark.a=raise.a --link mark.width=raise.width --link mark.height=raise.height \
// RUN:   --block 16x16 -o %t/yes.cu --distinct
// APART: note: no form fits: {{.*}} the nearest, in turn, follow
// APART-NEXT: error: {{.*}} [MayAlias]
// APART: note: {{.*}}if they never do, say --distinct
// So is one that would play several blocks of a kernel for one of another, if their arrays were apart.
// RUN: %exits 1 %cufuse fuse %s:best %s:count --link best.of=count.of --link best.rows=count.rows --block 128 -o %t/no.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=APART '--implicit-check-not=[{{NotInTurn|NotPointwise}}]'
// RUN: %cufuse fuse %s:best %s:count --link best.of=count.of --link best.rows=count.rows --block 128 -o %t/yes.cu --distinct
// A border is why some elements are not stored, and not that a kernel of two dimensions is no function of one number.
// RUN: %exits 1 %cufuse fuse %s:smooth %s:change --link smooth.v=change.v --link smooth.u=change.u --link 'smooth.nx*ny=change.n' \
// RUN:   --block 64 -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=BORDER '--implicit-check-not=[NotPointwise]'
// BORDER: note: no form fits: {{.*}} the nearest, at stores, follow
// BORDER-NEXT: error: some elements of the intermediate may not be stored: smooth: v[y * nx + x] at {{.*}} [StoredSometimes]
// Another block is no remedy where no block is.
// RUN: %exits 1 %cufuse fuse --vertical %s:total %s:scale --link total.sum=scale.sum -o %t/no.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BLOCK '--implicit-check-not=[RowBlock]'
// BLOCK: note: no form fits: {{.*}} by row: no kernel that takes an intermediate works on rows

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

__global__ void smooth(const float *u, float *v, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1)
    v[y * nx + x] = u[y * nx + x - 1] + u[y * nx + x + 1] + u[(y - 1) * nx + x] + u[(y + 1) * nx + x];
}

__global__ void change(const float *u, const float *v, float *d, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    d[i] = u[i] - v[i];
}

__global__ void parts(const float *in, float *out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns)
    out[i] = in[i];
}

__global__ void mark(unsigned short *a, const unsigned short *other, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int k = x - a[y * width + x];
  if (k >= 0 && k < width && other[y * width + k] > 3)
    a[y * width + x] = 0xffff;
}

__global__ void raise(unsigned short *a, int width, int height, int by) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    a[y * width + x] += by;
}

__global__ void best(const int *x, int *of, int rows, int columns) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32;
  if (row >= rows)
    return;
  int most = 0;
  for (int i = threadIdx.x % 32; i < columns; i += 32)
    most = max(most, x[row * columns + i]);
  for (int reach = 16; reach; reach /= 2)
    most = max(most, __shfl_xor_sync(~0u, most, reach));
  if (threadIdx.x % 32 == 0)
    of[row] = most;
}

__global__ void count(const int *of, int *counts, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows)
    atomicAdd(&counts[of[row]], 1);
}

__global__ void total(const float *part, float *sum, int parts) {
  if (threadIdx.x != 0)
    return;
  float s = 0;
  for (int p = 0; p < parts; ++p)
    s += part[blockIdx.x * parts + p];
  sum[blockIdx.x] = s;
}

__global__ void scale(const float *x, const float *sum, float *y, int columns) { // several blocks a row
  const int row = blockIdx.y;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < columns; i += blockDim.x * gridDim.x)
    y[row * columns + i] = x[row * columns + i] / sum[row];
}

void norm(const float *part, float *sum, const float *x, float *y, int rows, int columns, int parts) {
  total<<<rows, 1>>>(part, sum, parts);
  scale<<<dim3(4, rows), 512>>>(x, sum, y, columns);
}
