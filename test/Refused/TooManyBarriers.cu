// The hardware has 15 barriers for partitions: sixteen that synchronise are refused, sixteen that do not are not. Where
// only the run knows which barrier a kernel names, no other may have one.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:swap --block 32 --copies 16 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:swap %s:chosen --block 32 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=CHOSEN '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:chosen --block 64 --copies 2 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=COPIES '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:large %s:chosen --block 128 --block 64 --geometry threads -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=CHOSEN '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:swap %s:swap --block 32 --block 32 --copies 8 --copies 8 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: refused: {{.*}}: 16; with --geometry blocks, each kernel has its own [TooManyBarriers]
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:large %s:chosen --block 64 --block 64 --geometry threads -o %t/out.cu
// RUN: %cufuse fuse %s:fill %s:chosen --block 32 --block 64 --copies 3 --copies 1 -o %t/out.cu
// RUN: %cufuse fuse %s:swap --block 32 --copies 15 -o %t/out.cu
// RUN: %cufuse fuse %s:fill --block 32 --copies 16 -o %t/out.cu
// CHECK: refused: the partitions need more than 15 barriers together: 16 [TooManyBarriers]
// CHECK: note: use fewer copies
__global__ void swap(float *data) {
  const float mine = data[31 - threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = mine;
}

__global__ void fill(float *data) { data[threadIdx.x] = 1; }

// CHOSEN: refused: the partitions need more than 15 barriers together: 16, chosen may name any itself [TooManyBarriers]
// COPIES: refused: {{.*}}: 30, chosen may name any itself [TooManyBarriers]
__global__ void chosen(float *data, int barrier) {
  const float mine = data[63 - threadIdx.x];
  __barrier_sync(barrier);
  data[threadIdx.x] = mine;
}

// In turns with a kernel of a larger block, the threads that it does not have would wait at barrier 0 for it.
__global__ void large(float *data) { data[threadIdx.x] += 1; }
