// What a branch does is done where a break leaves it, though it ends in a return: the array is another one then.
// RUN: %exits 1 %cufuse fuse --vertical %s:fill %s:lift --distinct --dry-run -o %t.cu 2>&1 | FileCheck %s --implicit-check-not=fill.x=lift.in
// CHECK: error:
__global__ void fill(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = i;
}
__global__ void lift(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}

void launch(float *x, float *y, float *z, int n) {
  fill<<<n / 128, 128>>>(x, n);
  do {
    if (cudaGetLastError()) {
      x = z;
      if (n > 100)
        break;
      return;
    }
  } while (0);
  lift<<<n / 128, 128>>>(x, y, n);
}
