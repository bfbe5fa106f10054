// Guards must be the same number of elements, as the links say.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:shift --block 128 \
// RUN:   --link scale.mid=shift.in -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECK --implicit-check-not=refused:
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:inner --block 128 \
// RUN:   --link scale.mid=inner.in --link scale.n=inner.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=INNER --implicit-check-not=refused:
// RUN: ls -A %t | count 0

__global__ void scale(const float *__restrict__ in, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = 2 * in[i];
}

__global__ void shift(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: refused: {{[^ ]*}}:[[#@LINE+3]]:14: producer and consumer work on different numbers of elements: shift:
    // CHECK-SAME: in[i] at {{[^ ]*}}:[[#@LINE+2]]:14, of shift.n elements; scale stores mid[i] at {{[^ ]*}}, of scale.n
    // CHECK-SAME: [DifferentBounds]; link the numbers, as in --link producer.n=consumer.n
    out[i] = in[i] + 1;
}

__global__ void inner(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1)
    // INNER: refused: {{.*}} inner: in[i] at {{.*}}, of scale.n - 1 elements; scale stores mid[i] at {{.*}}, of scale.n
    out[i] = in[i] + 1;
}
