// Two kernels that are launched at two places with different arrays: --vertical takes the first and says so, --chains offers each by
// the lines of its launches, and FILE:@LINE names a kernel by its launch.
// RUN: %cufuse inspect --chains %s | FileCheck %s
// RUN: %cufuse fuse --vertical %s:a %s:b --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: linked as launched at {{.*}}:[[#@LINE+17]]:3 and {{.*}}: --link a.y=b.y --link a.n=b.n; at {{.*}}:[[#@LINE+23]]:3 and {{.*}}:[[#@LINE+26]]:3 they are launched with other links (FILE:@LINE names a kernel by its launch){{$}}
// RUN: %cufuse fuse --vertical %s:@%(line+22) %s:@%(line+25):3 --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=OTHERWISE
// OTHERWISE: linked as launched at {{.*}}:[[#@LINE+21]]:3 and {{.*}}: --link a.y=b.w --link a.n=b.n{{$}}
// Launches that other functions make are told apart by --link alone.
// RUN: %cufuse fuse --vertical %s:c %s:d --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=CALLS
// CALLS: --link c.y=d.y{{.*}}; other calls of these launches have other links, which --link says{{$}}
__global__ void a(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1;
}
__global__ void b(float *z, const float *y, const float *w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = y[i] * w[i];
}
void first(float *x, float *y, float *w, float *z, int n) {
  a<<<(n + 255) / 256, 256>>>(y, x, n);
  // CHECK: [[#@LINE-1]]:3 and {{.*}}:[[#@LINE+2]]:3: one after the other
  // CHECK-NEXT: cufuse fuse --vertical {{.*}}:@[[#@LINE-2]]:3 {{.*}}:@[[#@LINE+1]]:3 -o fused.cu
  b<<<(n + 255) / 256, 256>>>(z, y, w, n);
}
void otherwise(float *x, float *y, float *w, float *z, int n) {
  a<<<(n + 255) / 256, 256>>>(w, x, n);
  // CHECK: [[#@LINE-1]]:3 and {{.*}}:[[#@LINE+2]]:3: one after the other
  // CHECK-NEXT: cufuse fuse --vertical {{.*}}:@[[#@LINE-2]]:3 {{.*}}:@[[#@LINE+1]]:3 -o fused.cu
  b<<<(n + 255) / 256, 256>>>(z, y, w, n);
}
void again(float *x, float *y, float *w, float *z, int n) {
  a<<<(n + 255) / 256, 256>>>(y, x, n);
  // CHECK-NOT: [[#@LINE+1]]:3
  b<<<(n + 255) / 256, 256>>>(z, y, w, n);
}
__global__ void c(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1;
}
__global__ void d(float *z, const float *y, const float *w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = y[i] * w[i];
}
void launchC(float *y, const float *x, int n) { c<<<(n + 255) / 256, 256>>>(y, x, n); }
void launchD(float *z, const float *y, const float *w, int n) { d<<<(n + 255) / 256, 256>>>(z, y, w, n); }
void call(float *x, float *y, float *w, float *z, int n) {
  launchC(y, x, n);
  launchD(z, y, w, n);
}
void callOtherwise(float *x, float *y, float *w, float *z, int n) {
  launchC(w, x, n);
  launchD(z, y, w, n);
}
