// Inline assembly that reads or synchronises the block is refused; the lane and arithmetic are not its business.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:assembly --block 64 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=refused:
// RUN: %exits 1 %cufuse fuse %s:barrier --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BARRIER --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:lanes --block 64 -o %t/out.cu
__device__ unsigned thread() {
  unsigned index;
  // CHECK: refused: {{[^ ]*}}:[[#@LINE+2]]:3: assembly: inline assembly reads or synchronises the thread block:
  // CHECK-SAME: %tid in thread [InlineAsmBlock]; use the CUDA C++ built-ins instead of the assembly
  asm("mov.u32 %0, %%tid.x;" : "=r"(index));
  return index;
}

__global__ void assembly(float *data) { data[thread()] += 1; }

__global__ void barrier(float *data) {
  data[threadIdx.x] += 1;
  // BARRIER: refused: {{[^ ]*}}:[[#@LINE+2]]:3: barrier: inline assembly reads or synchronises the thread block:
  // BARRIER-SAME: bar in barrier [InlineAsmBlock]; use the CUDA C++ built-ins instead of the assembly
  asm volatile("bar.sync 0;" ::: "memory");
}

__global__ void lanes(unsigned *data) {
  unsigned lane, sum;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(lane), "r"(3), "r"(threadIdx.x));
  data[threadIdx.x] = sum;
}
