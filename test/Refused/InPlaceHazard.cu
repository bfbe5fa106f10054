// Of those who take an intermediate, only the last may change it in place. What is computed where the consumer loads it
// is nowhere to be changed.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:reversed %s:clamp %s:copied --block 128 --link reversed.mid=clamp.in \
// RUN:   --link reversed.mid=copied.in --link reversed.n=clamp.n --link reversed.n=copied.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHECK '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:clamp %s:clamp --block 128 --link scale.mid=clamp_0.in \
// RUN:   --link scale.mid=clamp_1.in --link scale.n=clamp_0.n --link scale.n=clamp_1.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=BOTH '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:counts --block 128 --link scale.mid=counts.in --dead scale.mid \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=ATOMIC '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:mirrored --block 128 --link scale.mid=mirrored.in --dead scale.mid \
// RUN:   --recompute any -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=MIRRORED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:scale %s:clamp %s:copied --block 128 --link scale.mid=clamp.in \
// RUN:   --link scale.mid=copied.in --link scale.n=clamp.n --link scale.n=copied.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CHANGED '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse --in-registers --vertical %s:scale %s:copied %s:clamp --block 128 --link scale.mid=clamp.in \
// RUN:   --link scale.mid=copied.in --link scale.n=clamp.n --link scale.n=copied.n -o %t/out.cu
// RUN: %cufuse fuse --in-registers --vertical %s:scale %s:clamp %s:copied --block 128 --link scale.mid=clamp.in \
// RUN:   --link clamp.in=copied.in --link scale.n=clamp.n --link scale.n=copied.n -o %t/out.cu

__global__ void reversed(const float *__restrict__ in, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    mid[i] = 2 * in[n - 1 - i];
}

__global__ void scale(const float *__restrict__ in, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = 2 * in[i];
}

__global__ void clamp(float *__restrict__ in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // BOTH: {{[^ ]*}}:[[#@LINE+3]]:5: error: {{.*}} clamp_1: in[i] at {{[^ ]*}}:5; so does clamp_0; scale stores mid[i]
    // BOTH-SAME: at {{[^ ]*}}:30:5 [InPlaceHazard]
    // BOTH: error: {{.*}} clamp_1: in[i] at {{.*}}; clamp_0: in[i] at {{[^ ]*}} [SameMemory]
    in[i] = in[i] > 1 ? 1 : in[i];
}

// What is computed where the consumer loads it is nowhere to be changed.
__global__ void counts(float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // ATOMIC: error: {{.*}} counts: atomicAdd(&in[i], 1.0f) at {{[^ ]*}}:[[#@LINE+1]]:14; scale stores mid[i] at {{.*}} [InPlaceHazard]
    out[i] = atomicAdd(&in[i], 1.0f);
}

__global__ void mirrored(float *__restrict__ in, int n) {
  __shared__ float other[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  other[threadIdx.x] = i < n ? in[n - 1 - i] : 0;
  __syncthreads();
  if (i < n)
    // MIRRORED: error: {{.*}} mirrored: in[i] at {{[^ ]*}}:[[#@LINE+1]]:5; scale stores mid[i] at {{.*}} [InPlaceHazard]
    in[i] = other[threadIdx.x];
}

// CHECK: {{[^ ]*}}:[[#@LINE+5]]:17: error: the consumer stores to the intermediate: copied takes in, which clamp has changed: link
// CHECK-SAME: clamp.in=copied.in; reversed stores mid[i] at {{[^ ]*}} [InPlaceHazard]
// It has what was there before, and the launches would give it what is there now.
// CHANGED: {{[^ ]*}}:[[#@LINE+2]]:17: error: the consumer stores to the intermediate: copied takes in, which clamp has changed: link
// CHANGED-SAME: clamp.in=copied.in; scale stores mid[i] at {{[^ ]*}} [InPlaceHazard]
__global__ void copied(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i];
}
