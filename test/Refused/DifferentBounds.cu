// Guards must be the same number of elements, as the links say.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:shift --block 128 \
// RUN:   --link scale.mid=shift.in -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECK '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:inner --block 128 \
// RUN:   --link scale.mid=inner.in --link scale.n=inner.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=INNER '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:fours --block 128 \
// RUN:   --link scale.mid=fours.in --link scale.n=fours.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=FOURS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:waits %s:shift --block 32 \
// RUN:   --link waits.mid=shift.in -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=WAITS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:shift %s:mirror --block 128 --link scale.mid=shift.in \
// RUN:   --link shift.out=mirror.in --dead scale.mid --dead shift.out -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MIRROR '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0

__global__ void scale(const float *__restrict__ in, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = 2 * in[i];
}

__global__ void shift(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: {{[^ ]*}}:[[#@LINE+4]]:14: error: producer and consumer work on different numbers of elements: shift:
    // CHECK-SAME: in[i] at {{[^ ]*}}:[[#@LINE+3]]:14, of shift.n elements; scale: in[i] at {{[^ ]*}}, of scale.n
    // CHECK-SAME: elements [DifferentBounds]
    // CHECK: note: if they are equal, say --link 'scale.n=shift.n'
    out[i] = in[i] + 1;
}

__global__ void inner(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1)
    // INNER: error: {{.*}} inner: in[i] at {{.*}}, of scale.n - 1 elements; scale: in[i] at {{.*}}, of scale.n elements
    out[i] = in[i] + 1;
}

// The last few elements are left to nobody.
__global__ void fours(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 4 <= n)
    // FOURS: error: {{.*}} fours: reinterpret_cast<const float4 *>(in)[i] at {{.*}}, of scale.n elements in whole groups
    // FOURS-SAME: of 4; scale: in[i] at {{.*}}, of scale.n elements [DifferentBounds]
    reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i];
}

__global__ void waits(float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    mid[i] = i;
}
// WAITS: error: {{.*}} shift: in[i] at {{.*}}, of shift.n elements; waits stores mid[i] at {{.*}}, of waits.n

// Before a load, too, elements are made of elements. The consumer may have another number of them.
// MIRROR: error: {{.*}} shift, of shift.n elements; scale stores mid[i] at {{.*}}, of scale.n [DifferentBounds]
__global__ void mirror(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i];
}
