// Launches that a proof shuts out are said when the kernels are fused, not first by the launcher.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:plus %s:next --link plus.out=next.in --link plus.columns=next.columns --block 64 -o %t/out.cu 2>&1 | FileCheck %s
// CHECK: note: {{.*}}It can be launched with 65 <= plus.columns alone.
// RUN: FileCheck %s --check-prefix=SOURCE --input-file=%t/out.cu
// SOURCE: 65ll > columns

__global__ void plus(const float *in, float *out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] + 1;
}
__global__ void next(const float *in, float *out, unsigned columns) {
  const unsigned i = threadIdx.x; // below a number that may have wrapped
  if (i < columns - 1)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i + 1];
}
