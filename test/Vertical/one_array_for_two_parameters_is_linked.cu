// A kernel that is launched in place by two parameters is linked to itself. Where registers could not show that, it goes in turn.
// RUN: %cufuse fuse --vertical %s:add %s:scale --name o -o %t.cu 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: --link add.out=scale.y --link add.n=scale.n --link add.out=add.y
// RUN: FileCheck %s --input-file=%t.cu --check-prefix=ONE
// ONE: float cufuse_add_y = add_out[first];
// ONE: add_out[first] = cufuse_scale_y;
// ONE-NOT: meet(add_y
// RUN: %cufuse fuse --vertical %s:fill %s:shift --name o -o %t.cu
// RUN: %cufuse fuse --vertical %s:fill %s:gather --name o -o %t.cu 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: --link fill.n=gather.n --link gather.out=gather.in
// RUN: %cufuse fuse --vertical %s:odd %s:scale --name o -o %t.cu 2>&1 | FileCheck %s --check-prefix=TURN
// TURN: --link odd.out=odd.in
// TURN: In turn, a thread
// RUN: %exits 1 %cufuse fuse --vertical %s:odd %s:scale --in-registers -o %t.no.cu 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: odd.in and odd.out are one array, which is in memory
// What it stores to by both names, and what has other types, is not linked.
// RUN: %exits 1 %cufuse fuse --vertical %s:swap %s:scale -o %t.no.cu 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: swap is launched with one array for x and y, and the fused kernel needs two
// RUN: %exits 1 %cufuse fuse --vertical %s:bits %s:scale -o %t.no.cu 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES: error: bits is launched with one array for in and out, and the fused kernel needs two
// RUN: %exits 2 %cufuse fuse %s:swap %s:scale --link swap.x=scale.y --link swap.x=swap.y -o %t.no.cu 2>&1 | FileCheck %s --check-prefix=HAND
// HAND: error: 'swap.x=swap.y': a kernel is linked to itself
// HAND: two names of one array may be, as KERNEL.stored=KERNEL.loaded
__global__ void add(const float *x, const float *y, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] + y[i];
}
__global__ void scale(float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] *= 2;
}
__global__ void fill(float *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = 1;
}
__global__ void shift(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
__global__ void gather(const float *in, const int *at, float *out, const float *from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + from[i];
}
__global__ void odd(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = 1;
    out[i] = 2 * in[i];
  }
}
__global__ void swap(float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float kept = x[i];
    x[i] = y[i];
    y[i] = kept;
  }
}
__global__ void bits(const int *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] >> 1;
}
void inPlace(const float *x, float *y, int n) {
  add<<<(n + 63) / 64, 64>>>(x, y, y, n);
  scale<<<(n + 63) / 64, 64>>>(y, n);
}
void later(float *p, int n) {
  fill<<<(n + 63) / 64, 64>>>(p, n);
  shift<<<(n + 63) / 64, 64>>>(p, p, n);
}
void gathered(float *p, float *q, const int *at, int n) {
  fill<<<(n + 63) / 64, 64>>>(p, n);
  gather<<<(n + 63) / 64, 64>>>(q, at, q, p, n);
}
void oddInPlace(float *y, int n) {
  odd<<<(n + 63) / 64, 64>>>(y, y, n);
  scale<<<(n + 63) / 64, 64>>>(y, n);
}
void swapped(float *y, int n) {
  swap<<<(n + 63) / 64, 64>>>(y, y, n);
  scale<<<(n + 63) / 64, 64>>>(y, n);
}
void shifted(float *y, int n) {
  bits<<<(n + 63) / 64, 64>>>(reinterpret_cast<const int *>(y), y, n);
  scale<<<(n + 63) / 64, 64>>>(y, n);
}
