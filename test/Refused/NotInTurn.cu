// Where no form keeps intermediates in registers, kernels may be played in turn, but not where a thread or a block needs what
// another one stores.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:bright %s:dark %s:blend --link bright.out=blend.a --link dark.out=blend.b \
// RUN:   --link bright.width=dark.width --link bright.width=blend.width --link bright.height=dark.height \
// RUN:   --link bright.height=blend.height --distinct --block 16x8 -o %t/out.cu 2>&1 | FileCheck %s
// RUN: ls -A %t | count 0

__global__ void bright(const float *in, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = in[y * width + x] + 1;
}

__global__ void dark(const float *in, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = in[y * width + x] - 1;
}

__global__ void blend(const float *a, const float *b, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x + 1 < width && y < height)
    // CHECK: error: a block may use what another kernel stores, or still needs, in another block: {{.*}} [NotInTurn]
    out[y * width + x] = a[y * width + x] + b[y * width + x + 1];
}
