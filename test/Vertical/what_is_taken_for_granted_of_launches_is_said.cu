// Grids that are computed are taken to have all elements: that is said where they are not seen to be one. So is a launch that
// is left out where a condition does not hold.
// RUN: %cufuse fuse --vertical %s:fill %s:counted --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: %cufuse fuse --vertical %s:fill %s:more --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: linked as launched at {{.*}}: --link fill.x={{.*}}.n; their grids are not seen to be one, and are taken to reach all elements{{$}}
// RUN: %cufuse fuse --vertical %s:fill %s:sometimes --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: linked as launched at {{.*}}: --link fill.x={{.*}}.n; not all of them are always launched{{$}}
// By a variable, by one expression, by functions of the same numbers, and by CUDA's own, they are one.
// RUN: %cufuse fuse --vertical %s:fill %s:variable --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %cufuse fuse --vertical %s:fill %s:written --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %cufuse fuse --vertical %s:fill %s:called --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %cufuse fuse --vertical %s:fill %s:rounded --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: linked as launched at {{.*}}: --link fill.x={{[a-z.]*}} --link fill.n={{[a-z]*}}.n{{$}}
#include <cmath>
#define SCALE(name)                                                                                                    \
  __global__ void name(float *x, int n, float by) {                                                                    \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                               \
    if (i < n)                                                                                                         \
      x[i] *= by;                                                                                                      \
  }
__global__ void fill(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = i;
}
SCALE(counted)
SCALE(more)
SCALE(sometimes)
SCALE(variable)
SCALE(written)
SCALE(called)
SCALE(rounded)
inline int blocksFor(int n, int block) { return n % block == 0 ? n / block : n / block + 1; }

void runCounted(float *x, int n, int blocks) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  counted<<<blocks, 256>>>(x, n, 2);
}
void runMore(float *x, int n) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  more<<<n / 256 + 1, 256>>>(x, n, 2);
}
void runSometimes(float *x, int n, bool scales) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  if (scales)
    sometimes<<<(n + 255) / 256, 256>>>(x, n, 2);
}
void runVariable(float *x, int n, int threads) {
  const dim3 grid((n + threads - 1) / threads), block(threads);
  fill<<<grid, block>>>(x, n);
  variable<<<grid, block>>>(x, n, 2);
}
void runWritten(float *x, int n) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  written<<<(n + 255) / 256, 256>>>(x, n, 2);
}
void runCalled(float *x, int n) {
  fill<<<min(blocksFor(n, 256), 65535), 256>>>(x, n);
  const float by = min(n, 3); // CUDA's, which changes no memory
  called<<<min(blocksFor(n, 256), 65535), 256>>>(x, n, by);
}
void runRounded(float *x, int n) {
  fill<<<std::ceil(n / 256.0), 256>>>(x, n);
  rounded<<<std::ceil(n / 256.0), 256>>>(x, n, 2);
}
