// A thread that leaves before others synchronise has to say so; where the return cannot be rewritten, it is refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:by_macro %s:by_expression --block 128 --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:unfinished --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}' --check-prefix=RETURN
// RUN: %exits 1 %cufuse fuse %s:summed --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}' --check-prefix=WARP
// RUN: %exits 1 %cufuse fuse %s:at_end --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}' --check-prefix=END
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:finished --block 128 -o %t/out.cu
// RUN: %cufuse fuse %s:uniform --block 128 -o %t/out.cu
// What the number is depends on what else is read.
#define LEAVE_COUNTED(condition)                                                                                           \
  if (condition) {                                                                                                     \
    out[threadIdx.x] = __COUNTER__;                                                                                      \
    return;                                                                                                            \
  }
#define LEAVE_IF(condition)                                                                                                \
  if (condition) {                                                                                                     \
    out[threadIdx.x] = __LINE__;                                                                                         \
    return;                                                                                                            \
  }

__global__ void by_macro(const float *in, float *out, int n) {
  __shared__ float tile[128];
  // CHECK: {{[^ ]*}}:[[#@LINE+4]]:3: error: by_macro: threads may leave before others that wait for them, by a return
  // CHECK-SAME: that cannot be rewritten: a macro returns [ExitUnannounced]
  // CHECK: note: write a plain `return;` in the kernel
  // CHECK-SAME: itself
  LEAVE_COUNTED(threadIdx.x >=
                n);
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

struct Finish {
  float *out;
  __device__ ~Finish() { *out = -1; }
};
__device__ void report(const Finish &finish) { *finish.out = -2; }

__global__ void by_expression(const float *in, float *out, int n) {
  __shared__ float tile[128];
  if (threadIdx.x >= n)
    // CHECK: {{[^ ]*}}:[[#@LINE+1]]:5: error: by_expression: {{.*}}: it returns an expression [ExitUnannounced]
    return report({out});
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

// All threads of the block decide alike, so nothing has to be rewritten.
__global__ void uniform(const float *in, float *out, int n) {
  __shared__ float tile[128];
  LEAVE_IF(blockIdx.x >= n);
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

// Who leaves at once runs no destructors.
__global__ void unfinished(const float *in, float *out, int n) {
  __shared__ float tile[128];
  Finish finish{out + threadIdx.x};
  if (threadIdx.x >= n)
    // RETURN: {{[^ ]*}}:[[#@LINE+2]]:5: error: unfinished: {{.*}}: the destructor of finish would not run
    // RETURN-SAME: [ExitUnannounced]
    return;
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
__global__ void at_end(const float *in, float *out, int n) {
  __shared__ float tile[128];
  // END: {{[^ ]*}}:[[#@LINE+1]]:16: error: at_end: {{.*}}: the destructor of finish would not run [ExitUnannounced]
  const Finish finish{out + threadIdx.x};
  if (threadIdx.x < n) {
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    *finish.out = tile[n - 1 - threadIdx.x];
  }
}
__global__ void finished(const float *in, float *out, int n) {
  __shared__ float tile[128];
  { Finish finish{out + threadIdx.x}; }
  if (threadIdx.x >= n)
    return;
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

// Lanes that leave before a warp primitive do so as well.
__global__ void summed(const float *in, float *out, int n) {
  Finish finish{out + threadIdx.x};
  if (threadIdx.x >= n)
    // WARP: {{[^ ]*}}:[[#@LINE+1]]:5: error: summed: {{.*}}: the destructor of finish would not run [ExitUnannounced]
    return;
  out[threadIdx.x] = __shfl_down_sync(0xffffffff, in[threadIdx.x], 1);
}
