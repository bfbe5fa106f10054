// Grids that are computed are taken to have all elements: that is said where they are not seen to be one. So is a launch that
// is left out where a condition does not hold.
// RUN: %cufuse fuse --vertical %s:fill %s:counted --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: %cufuse fuse --vertical %s:fill %s:more --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: linked as launched at {{.*}}: --link fill.x={{.*}}.n; their grids are not seen to be one, and are taken to reach all elements{{$}}
// RUN: %cufuse fuse --vertical %s:fill %s:sometimes --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: linked as launched at {{.*}}: --link fill.x={{.*}}.n; not all of them are always launched{{$}}
// So is one behind `&&`, or behind what may leave its function, or its turn of a loop; a check that ends all is no such thing.
// RUN: %cufuse fuse --vertical %s:fill %s:ofBoth --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %cufuse fuse --vertical %s:fill %s:unlessLeft --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %cufuse fuse --vertical %s:fill %s:continued --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %cufuse fuse --vertical %s:fill %s:caught --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %cufuse fuse --vertical %s:fill %s:checked --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=ONE
// Streams that are seen not to be one are taken to wait; another device is another launch.
// RUN: %cufuse fuse --vertical %s:fill %s:beside --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=STREAM
// STREAM: linked as launched at {{.*}}.n; on streams that are not one, which is taken to wait for the others{{$}}
// RUN: %exits 1 %cufuse fuse --vertical %s:fill %s:elsewhere --distinct --name f --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: between the launches at {{.*}} stands what may use the kernels' memory
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
SCALE(ofBoth)
SCALE(unlessLeft)
SCALE(continued)
SCALE(caught)
SCALE(checked)
SCALE(beside)
SCALE(elsewhere)
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
void runOfBoth(float *x, int n, bool scales) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  scales && (ofBoth<<<(n + 255) / 256, 256>>>(x, n, 2), true);
}
void scaleUnless(float *x, int n, bool leaves) {
  if (leaves)
    return;
  unlessLeft<<<(n + 255) / 256, 256>>>(x, n, 2);
}
void runUnlessLeft(float *x, int n, bool leaves) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  scaleUnless(x, n, leaves);
}
void runContinued(float *x, int n, int turns) {
  for (int k = 0; k < turns; ++k) {
    fill<<<(n + 255) / 256, 256>>>(x, n);
    if (k % 2)
      continue;
    continued<<<(n + 255) / 256, 256>>>(x, n, 2);
  }
}
void runCaught(float *x, int n) {
  try {
    fill<<<(n + 255) / 256, 256>>>(x, n);
    throw 1;
  } catch (int) {
    caught<<<(n + 255) / 256, 256>>>(x, n, 2);
  }
}
cudaError_t runChecked(float *x, int n) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess)
    return error;
  checked<<<(n + 255) / 256, 256>>>(x, n, 2);
  return cudaGetLastError();
}
void runBeside(float *x, int n, cudaStream_t one, cudaStream_t other) {
  fill<<<(n + 255) / 256, 256, 0, one>>>(x, n);
  beside<<<(n + 255) / 256, 256, 0, other>>>(x, n, 2);
}
void runElsewhere(float *x, int n) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  cudaSetDevice(1);
  elsewhere<<<(n + 255) / 256, 256>>>(x, n, 2);
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
