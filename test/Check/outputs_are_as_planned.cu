// An output as it was written passes; what is changed in its text is found in its PTX, with the place in the
// user's file.
// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:twice %s:leaving --block 64 --block 128 --name f -o %t/out.cu
// RUN: %cufuse check %t/out.cu | FileCheck %s
// CHECK: out.cu: sm_90a as planned: %ctaid.x, %tid.x, 1 kernel of f, barrier 1, barrier 2, shfl
// RUN: %cufuse fuse %s:twice %s:leaving --block 64 --block 128 --name f -o %t/blocks.cu --geometry blocks \
// RUN:   --grid-policy pool
// RUN: %cufuse check %t/blocks.cu -- -gencode=arch=compute_80,code=sm_80 -arch sm_90 | \
// RUN:   FileCheck %s --check-prefix=BLOCKS
// BLOCKS: blocks.cu: sm_80 as planned: {{.*}}%smid, %tid.x
// BLOCKS: blocks.cu: sm_90 as planned:
// What nvcc compiles is compute_80's, whatever runs it.
// RUN: %cufuse check %t/blocks.cu -- -gencode=arch=compute_80,code=sm_86 | FileCheck %s --check-prefix=VIRTUAL
// VIRTUAL: blocks.cu: sm_80 as planned
// What the linker is to optimise is compiled as usual.
// RUN: %cufuse check %t/blocks.cu -- -dc -arch=sm_90 -dlto | FileCheck %s --check-prefix=LINKED
// LINKED: blocks.cu: sm_90 as planned
// RUN: %cufuse fuse %s:twice --block 64 --name f -o %t/alone.cu && %cufuse check %t/alone.cu
//
// RUN: sed 's/^  __syncthreads/  ::__syncthreads/' %t/out.cu > %t/barrier.cu
// RUN: %exits 1 %cufuse check %t/barrier.cu 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: {{^}}{{[^ ]*}}outputs_are_as_planned.cu:58:{{.*}}: error: the compiled output is not as planned:
// BARRIER-SAME: 'bar.sync 0' is no barrier of the plan (sm_90a PTX:{{[0-9]+}}, in _ZN1f5fused{{.*}}; PTX ISA 9.7.13.1){{$}}
// BARRIER: note: synchronise by __syncthreads()
// RUN: sed 's/if (place > 9)/asm volatile("ret;");/' %t/out.cu > %t/ret.cu
// RUN: %exits 1 %cufuse check %t/ret.cu 2>&1 | FileCheck %s --check-prefix=RET
// RET: outputs_are_as_planned.cu:59:{{.*}} ret in assembly ends the fused kernel's thread
// The PTX may be there already.
// RUN: %nvcc -ptx -arch=sm_90a %t/barrier.cu -o %t/barrier.ptx && %nvcc -ptx -arch=sm_90a %t/out.cu -o %t/out.ptx
// RUN: %cufuse check %t/out.cu --ptx %t/out.ptx | FileCheck %s --check-prefix=GIVEN
// GIVEN: {{^[^ ]*}}out.ptx: as planned: %ctaid.x
// RUN: %exits 1 %cufuse check %t/out.cu --ptx %t/barrier.ptx 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: 'bar.sync 0' is no barrier of the plan ({{[^ ]*}}barrier.ptx:{{[0-9]+}}, in _ZN1f5fused
// A variable of the output is a table of the plan, and nothing changes it.
// RUN: %cufuse fuse %s:looks --block 64 --name f -o %t/tables.cu
// RUN: %cufuse check %t/tables.cu | FileCheck %s --check-prefix=TABLES
// TABLES: as planned: {{.*}}table hidden, table table{{$}}
// RUN: sed 's/tables=hidden,table/tables=hidden/' %t/tables.cu > %t/other.cu
// RUN: %exits 1 %cufuse check %t/other.cu 2>&1 | FileCheck %s --check-prefix=UNPLANNED
// UNPLANNED: error: the compiled output is not as planned: table is another variable than the program's, and no table of the plan
// UNPLANNED: note: give `cufuse fuse` -rdc=true
// RUN: sed 's/z\[place\] =/*(\&table[place] + 1) = z[0]; &/' %t/tables.cu > %t/changed.cu
// RUN: %exits 1 %cufuse check %t/changed.cu 2>&1 | FileCheck %s --check-prefix=CHANGED
// CHANGED: table is another variable than the program's, and is changed here
//
// RUN: %exits 1 %cufuse check %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: cannot check '{{.*}}outputs_are_as_planned.cu': its first line does not say what was planned

// RUN: %exits 1 %cufuse check %t/out.cu -- -include none.h 2>&1 | FileCheck %s --check-prefix=FLAGS
// FLAGS: nvcc does not compile '{{.*}}out.cu'
// FLAGS: give the flags that it is compiled with after `--`

__global__ void twice(int *x) {
  __shared__ int all[64]; const int other = __shfl_xor_sync(0xffffffff, x[threadIdx.x], 1);
  all[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const unsigned place = 63 - threadIdx.x; if (place > 9)
  x[threadIdx.x] = all[place] + other;
}

__global__ void leaving(int *y, int n) {
  if (threadIdx.x >= n)
    return;
  __syncthreads();
  y[threadIdx.x] += 1;
}

namespace {
__constant__ int hidden[4] = {1, 2, 3, 4};
}
static __device__ int table[4] = {1, 2, 3, 4};

__global__ void looks(int *z) {
  const int place = threadIdx.x % 4;
  static const __device__ int local[2] = {1, 2};
  z[place] = table[place] + hidden[place] + local[place % 2];
}
