// A static local variable that changes is refused; a constant one is not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:count --block 64 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:table --block 64 -o %t/out.cu
__global__ void count(unsigned *data) {
  // CHECK: refused: {{[^ ]*}}:[[#@LINE+2]]:{{[0-9]+}}: count: a static local variable keeps state between calls: calls in
  // CHECK-SAME: count [StaticLocal]; use a __device__ variable
  static unsigned calls = 0;
  data[threadIdx.x] = atomicAdd(&calls, 1);
}

__global__ void table(unsigned *data) {
  static const unsigned primes[] = {2, 3, 5, 7};
  data[threadIdx.x] = primes[data[threadIdx.x] % 4];
}
