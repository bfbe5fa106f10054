// A launch whose grid is a number, and that is not seen to have all elements of its kernel, is no part of one loop over
// them: unless the other launch has as many threads.
// RUN: %exits 1 %cufuse fuse --vertical %s:fill %s:first --distinct --name f -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRIDS
// RUN: %exits 1 %cufuse fuse --vertical %s:fill %s:row --distinct --name f -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRIDS
// RUN: %exits 1 %cufuse fuse --vertical %s:plane %s:line --distinct --name f -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRIDS
// RUN: %exits 1 %cufuse fuse --vertical %s:fill %s:fewer --distinct --name f -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRIDS
// Of computed grids, too, where that holds whatever the size is.
// RUN: %exits 1 %cufuse fuse --vertical %s:fill %s:halved --distinct --name f -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRIDS
// RUN: %exits 1 %cufuse fuse --vertical %s:fill %s:smaller --distinct --name f -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRIDS
// RUN: %exits 1 %cufuse fuse --vertical %s:plane %s:lower --distinct --name f -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRIDS
// GRIDS: error: the launches at {{.*}} and {{.*}} are not seen to have one grid, which says how much their kernels store
// RUN: %cufuse inspect --chains %s | FileCheck %s --check-prefix=CHAINS
// CHAINS: : one after the other, with grids that are not seen to be one
// CHAINS-NEXT: cufuse fuse --vertical {{.*}}:fill {{.*}}:first --cooperative -o
// Of whom the user links arrays, the user knows.
// RUN: %cufuse fuse --vertical %s:fill %s:first --link fill.x=first.x --distinct --name f --dry-run -o %t.cu
// Where the others have one block, it is the last one that goes on.
// RUN: %cufuse fuse --vertical %s:fill %s:one --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: by the last block, since the others have one block
//
// As many threads as the other's; as many blocks as elements, by numbers; a loop over the grid; and no number at all.
// RUN: %cufuse fuse --vertical %s:fill %s:half --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LOOP '--implicit-check-not=last block'
// RUN: %cufuse fuse --vertical %s:fill %s:numbers --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LOOP '--implicit-check-not=last block'
// RUN: %cufuse fuse --vertical %s:fill %s:strided --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LOOP '--implicit-check-not=last block'
// RUN: %cufuse fuse --vertical %s:fill %s:called --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LOOP '--implicit-check-not=last block'
// RUN: %cufuse fuse --vertical %s:plane %s:planes --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LOOP '--implicit-check-not=last block'
// Blocks that divide the size, which callers know, and sizes that are not those of the grid.
// RUN: %cufuse fuse --vertical %s:fill %s:divided --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LOOP '--implicit-check-not=last block'
// RUN: %cufuse fuse --vertical %s:fill %s:other --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LOOP '--implicit-check-not=last block'
// LOOP: linked as launched at
#define SCALE(name)                                                                                                    \
  __global__ void name(float *x, int n, float by) {                                                                    \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                               \
    if (i < n)                                                                                                         \
      x[i] *= by;                                                                                                      \
  }
#define PLANE(name)                                                                                                    \
  __global__ void name(float *x, int w, int h, float by) {                                                             \
    const int ix = blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y;                  \
    if (ix < w && iy < h)                                                                                              \
      x[iy * w + ix] += by;                                                                                            \
  }
__global__ void fill(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = i;
}
SCALE(first)
SCALE(row)
SCALE(one)
SCALE(half)
SCALE(numbers)
SCALE(fewer)
SCALE(called)
SCALE(halved)
SCALE(smaller)
SCALE(divided)
SCALE(other)
PLANE(lower)
PLANE(plane)
PLANE(line)
PLANE(planes)
__global__ void strided(float *x, int n, float by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] *= by;
}
inline int blocks(int n) { return (n + 255) / 256; }

void runFirst(float *x, int n) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  first<<<4, 256>>>(x, n, 2); // 1024 elements alone
}
void runRow(float *x, int n) {
  fill<<<8, 256>>>(x, n);
  row<<<4, 256>>>(x, n, 2);
}
void runPlane(float *x, int w, int h) {
  const dim3 block(32, 8), ofRow(32);
  plane<<<dim3((w + 31) / 32, (h + 7) / 8), block>>>(x, w, h, 1);
  line<<<dim3((w + 31) / 32), ofRow>>>(x, w, h, 1); // the first row alone
}
void runShort(float *x) {
  int n = 4000;
  fill<<<(n + 255) / 256, 256>>>(x, n);
  fewer<<<15, 256>>>(x, n, 2); // 3840 of them
}
void runOne(float *x, int n) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  one<<<1, 256>>>(x, n, 2);
}
void runHalf(float *x, int n) {
  fill<<<8, 256>>>(x, n);
  half<<<16, 128>>>(x, n, 2);
}
void runNumbers(float *x) {
  int n = 4000;
  fill<<<(n + 255) / 256, 256>>>(x, n);
  numbers<<<16, 256>>>(x, n, 2);
}
void runStrided(float *x, int n) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  strided<<<4, 256>>>(x, n, 2);
}
void runHalved(float *x, int n) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  const int all = n / 2 + 255, blocks = all / 256;
  halved<<<blocks, 256>>>(x, n, 2);
}
void runSmaller(float *x, int n) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  smaller<<<(n + 255) / 256, 128>>>(x, n, 2);
}
void runLower(float *x, int w, int h) {
  const dim3 block(32, 8);
  plane<<<dim3((w + 31) / 32, (h + 7) / 8), block>>>(x, w, h, 1);
  lower<<<dim3((w + 31) / 32, (h / 4 + 7) / 8), block>>>(x, w, h, 1);
}
void runDivided(float *x, int n) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  divided<<<n / 192, 192>>>(x, n, 2);
}
void runOther(float *x, int n, int rows) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  other<<<rows, 256>>>(x, n, 2);
}
void runCalled(float *x, int n) {
  fill<<<(n + 127) / 128, 128>>>(x, n);
  called<<<blocks(n), 256>>>(x, n, 2);
}
void runPlanes(float *x, int w, int h) {
  plane<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(x, w, h, 1);
  planes<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(x, w, h, 1);
}
