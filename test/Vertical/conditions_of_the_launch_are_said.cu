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
__global__ void next(const float *in, float *out, unsigned columns, int all) {
  const unsigned i = threadIdx.x; // below no number of columns
  if (all)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i + 1];
}
// A number without a sign that may have wrapped is asked not to have.
// RUN: %cufuse fuse %s:plus %s:inside --link plus.out=inside.in --link plus.columns=inside.columns --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=INSIDE --implicit-check-not alone
// INSIDE: In turn
// RUN: FileCheck %s --check-prefix=ASKS --input-file=%t/out.cu
// ASKS: static_cast<long long>(columns) - 1ll < 0
__global__ void inside(const float *in, float *out, unsigned columns) {
  const unsigned i = threadIdx.x;
  if (i < columns - 1)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i + 1];
}
