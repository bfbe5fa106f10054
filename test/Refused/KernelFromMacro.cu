// A kernel whose name or __global__ comes out of a macro is refused; launch bounds may come out of one.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:scale --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=NAME --implicit-check-not=refused:
// RUN: %exits 1 %cufuse fuse %s:shift --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=GLOBAL --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:bounded -o %t/out.cu
#define KERNEL(name) __global__ void name
#define GLOBAL __global__
#define BOUNDS __launch_bounds__(128)

// NAME: refused: {{[^ ]*}}:[[#@LINE+2]]:1: scale: the kernel's declaration is spelled by a macro: scale
// NAME-SAME: [KernelFromMacro]; write the kernel's head without the macro
KERNEL(scale)(float *data, float by) { data[threadIdx.x] *= by; }

// GLOBAL: refused: {{[^ ]*}}:[[#@LINE+2]]:13: shift: the kernel's declaration is spelled by a macro:
// GLOBAL-SAME: no __global__ is written before shift [KernelFromMacro]; write the kernel's head without the macro
GLOBAL void shift(float *data, float by) { data[threadIdx.x] += by; }

__global__ void BOUNDS bounded(float *data) { data[threadIdx.x] = 0; }
