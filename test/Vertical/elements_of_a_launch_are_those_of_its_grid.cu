// A kernel without a bound has the elements that its grid is computed for, if that says so: here as many as the rows
// have that another kernel makes a number of each for, with a grid of its own. The launch asks for it.
// RUN: %cufuse fuse --vertical %s:scales %s:normalise --distinct --name fused -o %t.cu 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=LAUNCH --input-file %t.cu
// CHECK: normalise has no bound, and is taken to have the rows*columns elements that its grid is computed for
// LAUNCH: return cudaErrorInvalidConfiguration
// Not what is computed for something else, by a block of another size, or of what changes.
// RUN: %exits 1 %cufuse fuse --vertical %s:scales %s:rounded --distinct -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: %exits 1 %cufuse fuse --vertical %s:scales %s:otherBlock --distinct -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: %exits 1 %cufuse fuse --vertical %s:scales %s:changed --distinct -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: error: the launches at {{.*}} are not seen to have one grid
template <typename T> T ceilDiv(T all, T part) { return (all + part - 1) / part; }

__global__ void scales(float *scale, const float *in, int columns) {
  __shared__ float part[64];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 64)
    sum += in[blockIdx.x * columns + i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    scale[blockIdx.x] = 1 / part[0];
}
#define NORMALISE(NAME)                                                                                                \
  __global__ void NAME(float *out, const float *in, const float *scale, int rows, int columns) {                       \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                               \
    out[i] = in[i] * scale[i / columns];                                                                               \
  }
NORMALISE(normalise)
NORMALISE(rounded)
NORMALISE(otherBlock)
NORMALISE(changed)

void run(float *out, float *scale, const float *in, int rows, int columns) {
  scales<<<rows, 64>>>(scale, in, columns);
  const int block = 256, grid = ceilDiv(rows * columns, block);
  normalise<<<grid, block>>>(out, in, scale, rows, columns);
}
void runRounded(float *out, float *scale, const float *in, int rows, int columns) {
  scales<<<rows, 64>>>(scale, in, columns);
  rounded<<<(rows * columns + 256) / 256, 256>>>(out, in, scale, rows, columns);
}
void runOther(float *out, float *scale, const float *in, int rows, int columns) {
  scales<<<rows, 64>>>(scale, in, columns);
  otherBlock<<<(rows * columns + 255) / 256, 128>>>(out, in, scale, rows, columns);
}
void runChanged(float *out, float *scale, const float *in, int rows, int columns) {
  scales<<<rows, 64>>>(scale, in, columns);
  const int grid = (rows * columns + 255) / 256;
  columns /= 2;
  changed<<<grid, 256>>>(out, in, scale, rows, columns);
}
