// The last block of a launch is found by an array that no other launch stores to at that time: it must be stored from a
// place on that all launches have which are given the array.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:parts %s:total --last-block -o %t/out.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse --vertical %s:scattered %s:total --last-block -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse --vertical %s:turned %s:total --last-block -o %t/out.cu

// CHECK: {{.*}}NotCounted.cu:[[@LINE+3]]:17: error: no array is known of which launches that run at once have each their own, by which to count blocks: parts [NotCounted]
// CHECK-NEXT: parts
// CHECK: note: let the first kernel store p[blockIdx.x] or the like, which a later one loads, or use --cooperative
__global__ void parts(float *out, int first) { out[first + blockIdx.x] = blockIdx.x; }

// DATA: error: no array is known {{.*}}: scattered [NotCounted]
__global__ void scattered(float *out, const int *to) { out[to[blockIdx.x]] = blockIdx.x; }

__global__ void turned(float *out, int first) {
  for (int i = threadIdx.x; i < first; i += 32)
    out[blockIdx.x * first + gridDim.x * i] = first;
}

__global__ void total(const float *in, float *out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += in[i];
  *out = sum;
}

void launches(float *x, const int *to, float *out, int n) {
  parts<<<n, 32>>>(x, n);
  total<<<1, 32>>>(x, out, n);
}
void others(float *x, const int *to, float *out, int n) {
  scattered<<<n, 32>>>(x, to);
  total<<<1, 32>>>(x, out, n);
}
void thirds(float *x, float *out, int n) {
  turned<<<n, 32>>>(x, n);
  total<<<1, 32>>>(x, out, n);
}
