// A variable that the host fills, or that keeps what a launch has stored, is refused without -rdc=true; a table that nobody
// fills is copied. The flag is asked for once.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:filter %s:tick --block 64 --block 64 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:filter --block 64 -o %t/out.cu -- -rdc=true
// RUN: %cufuse fuse %s:filter_by_table --block 64 -o %t/out.cu
// CHECK: {{[^ ]*}}:[[#@LINE+3]]:20: error: filter: a variable that outlives the launch must stay the same object:
// CHECK-SAME: weights, ticket [HostSharedNeedsRdc]
// CHECK: note: compile with -rdc=true and pass it after `--`
__constant__ float weights[4];

__constant__ float table[4] = {1, 2, 4, 8};

void fill(const float *from) { cudaMemcpyToSymbol(weights, from, sizeof(weights)); }

__global__ void filter(float *data) { data[threadIdx.x] *= weights[threadIdx.x % 4]; }

__global__ void filter_by_table(float *data) { data[threadIdx.x] *= table[threadIdx.x % 4]; }

__device__ unsigned ticket;
__global__ void tick(unsigned *out) { out[blockIdx.x] = atomicAdd(&ticket, 1u); }
