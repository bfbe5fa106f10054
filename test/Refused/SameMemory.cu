// What is linked is one array, whatever is said of pointers: the remedy must not be to say that there are two.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:back --block 128 \
// RUN:   --link scale.mid=back.in --link scale.n=back.n --link scale.in=back.out -o %t/out.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:back --block 128 --distinct \
// RUN:   --link scale.mid=back.in --link scale.n=back.n --link scale.in=back.out -o %t/out.cu 2>&1 | FileCheck %s
// RUN: ls -A %t | count 0

__global__ void scale(const float *__restrict__ in, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = 2 * in[n - 1 - i];
}

__global__ void back(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: {{[^ ]*}}:[[#@LINE+4]]:5: error: the links give two kernels the same memory, and one changes it while the
    // CHECK-SAME: other still uses it: back: out[i] at {{[^ ]*}}; scale: in[n - 1 - i] at {{[^ ]*}} [SameMemory]
    // CHECK: note: leave out the
    // CHECK-SAME: --link that makes them one and give the later kernel another array, or launch it separately
    out[i] = in[i] + 1;
}
