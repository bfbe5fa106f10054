// A macro that spells a kernel is written out, but one that pastes __VA_OPT__ is not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:scale_more --block 64 -o %t/out.cu -- -std=c++20 2>&1 | \
// RUN:   FileCheck %s --check-prefix=NAME '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:more --block 64 -o %t/out.cu -- -std=c++20 2>&1 | \
// RUN:   FileCheck %s --check-prefix=GLOBAL '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:plain_kernel %s:bounded %s:scale_optional --block 64 --block 64 --block 64 -o %t/out.cu -- -std=c++20
#define MORE(name, ...) __global__ void name##__VA_OPT__(_more)(float *data, __VA_ARGS__)
#define GLOBAL(...) __global__ __launch##__VA_OPT__(_bounds__)(__VA_ARGS__)
#define OPTIONAL(name, ...) __global__ void name##_optional(float *data __VA_OPT__(, ) __VA_ARGS__)
#define PLAIN(name) __global__ void name##_kernel
#define BOUNDS __launch_bounds__(128)

// NAME: {{[^ ]*}}:[[#@LINE+3]]:1: error: scale_more: the kernel's declaration is spelled by a macro that cannot be
// NAME-SAME: written out: scale_more [KernelFromMacro]
// NAME: note: write the kernel's head without the macro
MORE(scale, float by) { data[threadIdx.x] *= by; }

// GLOBAL: {{[^ ]*}}:[[#@LINE+3]]:18: error: more: the kernel's declaration is spelled by a macro that cannot be
// GLOBAL-SAME: written out: no __global__ is written before more [KernelFromMacro]
// GLOBAL: note: write the kernel's head
GLOBAL(128) void more(float *data, float by) { data[threadIdx.x] += by; }

PLAIN(plain)(float *data) { data[threadIdx.x] = 1; }
__global__ void BOUNDS bounded(float *data) { data[threadIdx.x] = 0; }
OPTIONAL(scale, float by) { data[threadIdx.x] *= by; }
