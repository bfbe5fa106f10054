// A block that neither launches nor launch bounds tell is refused; each of the three ways to tell it is accepted.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:silent -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=NOTHING '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:differ -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=DIFFER '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:plane -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BOUNDS '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:silent %s:launched %s:bounded --block 256 -o %t/out.cu
// NOTHING: {{[^ ]*}}:[[#@LINE+3]]:17: error: silent: the block size is not known: its file does not launch it, and
// NOTHING-SAME: it has no one-dimensional __launch_bounds__ [UnknownBlock]
// NOTHING: note: say it with --block silent=256 (or 32x8)
__global__ void silent(float *data) { data[threadIdx.x] = 0; }

// DIFFER: {{[^ ]*}}:[[#@LINE+3]]:17: error: differ: the block size is not known: the launches in its file differ
// DIFFER-SAME: or are not constant [UnknownBlock]
// DIFFER: note: say it with --block differ=256
__global__ void differ(float *data) { data[threadIdx.x] = 0; }

// BOUNDS: {{[^ ]*}}:[[#@LINE+3]]:40: error: plane: the block size is not known: {{.*}} no one-dimensional
// BOUNDS-SAME: __launch_bounds__ [UnknownBlock]
// BOUNDS: note: say it with --block plane=256
__global__ void __launch_bounds__(256) plane(float *data) { data[threadIdx.y * blockDim.x + threadIdx.x] = 0; }

__global__ void launched(float *data) { data[threadIdx.y * blockDim.x + threadIdx.x] = 0; }

__global__ void __launch_bounds__(192) bounded(float *data) { data[threadIdx.x] = 0; }

void run(float *data) {
  differ<<<1, 128>>>(data);
  differ<<<1, 256>>>(data);
  const dim3 block(32, 4);
  launched<<<1, block>>>(data);
  launched<<<2, dim3(32, 4)>>>(data);
}
