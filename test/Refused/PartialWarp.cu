// In --geometry threads the lanes behind a block's end play the other kernel: no barrier or shuffle may wait for their warp.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:turned %s:plain --block 100 --block 128 --geometry threads -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:turned %s:plain --block 128 --block 100 --geometry threads -o %t/out.cu
// RUN: %cufuse fuse %s:turned %s:plain --block 100 --block 128 --geometry blocks -o %t/out.cu
// CHECK: refused: the last warp is not filled, waits for its lanes, and plays other kernels with all of them: 100 threads of
// CHECK-SAME: turned [PartialWarp]; use --geometry warps or blocks, or a block of whole warps
__global__ void turned(int *data) {
  __shared__ int tile[128];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void plain(int *data) { data[threadIdx.x] = 1; }
