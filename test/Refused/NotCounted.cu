// Kernels of which the first hands nothing to the others have nothing to wait for, and no array by which to count.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:parts %s:total --link parts.x=total.in --last-block --block 32 --block 32 -o %t/out.cu 2>&1 | FileCheck %s
// RUN: ls -A %t | count 0

// CHECK: {{.*}}NotCounted.cu:[[@LINE+3]]:17: error: no array is known of which launches that run at once have each their own, by which to count blocks: parts [NotCounted]
// CHECK-NEXT: parts
// CHECK: note: let the first kernel store p[blockIdx.x] or the like, which a later one loads, or use --cooperative
__global__ void parts(const float *x, float *out) { out[blockIdx.x] = x[blockIdx.x]; }

__global__ void total(const float *in, float *out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += in[i];
  *out = sum;
}
