// Kernels by row in blocks of two dimensions are refused: threads with the same threadIdx.x would have the same elements.
// So is a kernel that its file launches with another block than it would get, unless --block says that it may, and the
// kernel asks for it.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:twice %s:plusOne --block 32x4 --link twice.out=plusOne.in \
// RUN:   --link twice.columns=plusOne.columns -o %t/out.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:tripled %s:total --link tripled.out=total.in \
// RUN:   --link tripled.columns=total.columns -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=LAUNCH
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse --in-registers --vertical %s:tripled %s:total --block 128 --link tripled.out=total.in \
// RUN:   --link tripled.columns=total.columns -o %t/out.cu
// RUN: %exits 1 %cufuse fuse --vertical %s:ofWarps %s:negated --block 32 --link ofWarps.out=negated.in \
// RUN:   --link ofWarps.columns=negated.columns --link ofWarps.rows=negated.rows -o %t/no.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=NUMBER
// RUN: %cufuse fuse --vertical %s:ofWarps %s:negated --block 128 --link ofWarps.out=negated.in \
// RUN:   --link ofWarps.columns=negated.columns --link ofWarps.rows=negated.rows -o %t/out.cu

// NUMBER: error: {{.*}}ofWarps is launched with blocks of 128 at {{.*}}, not of 32, and does not read blockDim [RowBlock]
__global__ void ofWarps(const float *__restrict__ in, float *__restrict__ out, int rows, int columns) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32;
  if (row < rows)
    for (int i = threadIdx.x % 32; i < columns; i += 32)
      out[row * columns + i] = 2 * in[row * columns + i];
}
__global__ void negated(const float *__restrict__ in, float *__restrict__ out, int rows, int columns) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32;
  if (row < rows)
    for (int i = threadIdx.x % 32; i < columns; i += 32)
      out[row * columns + i] = -in[row * columns + i];
}
void runWarps(const float *in, float *out, float *other) {
  ofWarps<<<3, 128>>>(in, out, 9, 70);
  negated<<<3, 128>>>(out, other, 9, 70);
}

// CHECK: {{[^ ]*}}:[[#@LINE+3]]:17: error: kernels that are fused by row need the same block, of one dimension:
// CHECK-SAME: twice would have blocks of 32x4 [RowBlock]
// CHECK: note: use --block 256 or the like
__global__ void twice(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = 2 * in[blockIdx.x * columns + i];
}

__global__ void plusOne(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] + 1;
}

__global__ void tripled(const float *__restrict__ in, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = 3 * in[blockIdx.x * columns + i];
}

// LAUNCH: {{[^ ]*}}:[[#@LINE+3]]:17: error: kernels that are fused by row need the same block, of one dimension:
// LAUNCH-SAME: total is launched with blocks of 128, tripled with 256 [RowBlock]
// LAUNCH: note: use --block 256 or the like
__global__ void total(const float *__restrict__ in, float *__restrict__ sums, int columns) {
  __shared__ float parts[128];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += in[blockIdx.x * columns + i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 128; ++i)
      sum += parts[i];
    sums[blockIdx.x] = sum;
  }
}

void run(const float *in, float *out, float *sums) {
  tripled<<<9, 256>>>(in, out, 1000);
  total<<<9, 128>>>(out, sums, 1000);
}
