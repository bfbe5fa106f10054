// Clang does not accept the host's function here and drops what it names. The table that only device code names is copied.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:filters --block 64 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:tabulates --block 64 -o %t/out.cu

// CHECK: error: filters: a variable that outlives the launch must stay the same object: weights [HostSharedNeedsRdc]

__constant__ int weights[4] = {1, 2, 3, 4};
__constant__ int table[4] = {1, 2, 4, 8}; // no table is filled

void fill(const int *from) {
  for (Unknown each : unknown(from))
    cudaMemcpyToSymbol(weights, from, sizeof(weights));
}

__global__ void filters(int *out) { out[threadIdx.x] = weights[threadIdx.x % 4]; }
__global__ void tabulates(int *out) { out[threadIdx.x] = table[threadIdx.x % 4]; }
