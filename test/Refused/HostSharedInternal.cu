// A variable that the host fills is refused where no other file can see it.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:filter --block 64 -o %t/out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:filter_visible --block 64 -o %t/out.cu -- -rdc=true
// CHECK: {{[^ ]*}}:[[#@LINE+4]]:{{[0-9]+}}: error: filter: a variable that outlives the launch is not visible outside
// CHECK-SAME: its file: weights [HostSharedInternal]
// CHECK: note: make it non-static, outside any unnamed namespace, and compile
// CHECK-SAME: with -rdc=true
static __constant__ float weights[64];

__constant__ float visible[64];

void fill(const float *from) {
  cudaMemcpyToSymbol(weights, from, sizeof(weights));
  cudaMemcpyToSymbol(visible, from, sizeof(visible));
}

__global__ void filter(float *data) { data[threadIdx.x] *= weights[threadIdx.x]; }

__global__ void filter_visible(float *data) { data[threadIdx.x] *= visible[threadIdx.x]; }
