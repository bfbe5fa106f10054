// --block says another block than the launches of the file: a kernel that has its block's size in its text is refused, and one that
// asks for it is said to be another launch. What works on elements is the same. Nothing is said twice.
// RUN: %exits 1 %cufuse fuse %s:inText %s:flat --block inText=256 -o %t.cu 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: blocks_other_than{{.*}}:[[#@LINE+14]]:17: error: inText is launched with blocks of 128 at {{.*}}, not of 256, and does not read blockDim
// TEXT: note: say --block inText=128
// RUN: %cufuse fuse %s:inText %s:asks --block asks=256 -o %t.cu 2>&1 | FileCheck %s --check-prefix=ASKS
// ASKS: note: asks is launched with blocks of 128 at {{.*}}, and here with blocks of 256: count its grid in these
// RUN: %cufuse fuse %s:inText %s:asks --block 128 --block 128 -o %t.cu 2>&1 | FileCheck %s --check-prefix=SAME
// SAME-NOT: is launched with
// RUN: %cufuse fuse %s:flat %s:again --link flat.y=again.x --link flat.n=again.n --block 256 -o %t.cu 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: %exits 2 %cufuse fuse %s:inText %s:asks --block asks=256 --block asks=128 -o %t.cu 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: --block is given twice for asks
// RUN: %exits 2 %cufuse fuse %s:flat %s:again --link flat.y=again.x --block flat=256 --block flat=128 -o %t.cu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LINKED
// LINKED: error: --block is given twice for flat

// In numbers.
__global__ void inText(const float *x, float *y) { y[blockIdx.x * 128 + threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x]; }
__global__ void asks(const float *x, float *sums) {
  __shared__ float all[1024];
  all[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int i = 1; threadIdx.x == 0 && i < blockDim.x; ++i)
    all[0] += all[i];
  if (threadIdx.x == 0)
    sums[blockIdx.x] = all[0];
}
__global__ void flat(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
__global__ void again(const float *x, float *z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = x[i];
}
inline dim3 threads() { return dim3(128); }
void launch(float *x, float *y, float *z, int n) {
  inText<<<n / 128, 128>>>(x, y);
  asks<<<n / 128, threads()>>>(x, y);
  flat<<<n / 128, 128>>>(x, y, n);
  again<<<n / 128, 128>>>(y, z, n);
}
