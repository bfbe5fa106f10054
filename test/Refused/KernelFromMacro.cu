// A macro that spells a kernel is written out, but one with a number of __COUNTER__ is not: nvcc may give another one.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:scale_counted --block 64 -o %t/out.cu -- -std=c++20 2>&1 | \
// RUN:   FileCheck %s --check-prefix=NAME '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:counted --block 64 -o %t/out.cu -- -std=c++20 2>&1 | \
// RUN:   FileCheck %s --check-prefix=GLOBAL '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:scale_0x7fffffff --block 64 -o %t/out.cu -- -std=c++20 2>&1 | \
// RUN:   FileCheck %s --check-prefix=LIBRARY '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:plain_kernel %s:bounded %s:scale_optional %s:scale_more %s:more --block 64 --block 64 --block 64 \
// RUN:   --block 64 --block 64 -o %t/out.cu -- -std=c++20
#include <climits>
#define COUNTED(name, ...) __device__ int name##_number = __COUNTER__; __global__ void name##_counted(float *data, __VA_ARGS__)
#define GLOBAL_COUNTED(...) __device__ int number = __COUNTER__; __global__ __launch_bounds__(__VA_ARGS__)
#define MORE(name, ...) __global__ void name##__VA_OPT__(_more)(float *data, __VA_ARGS__)
#define GLOBAL(...) __global__ __launch##__VA_OPT__(_bounds__)(__VA_ARGS__)
#define OPTIONAL(name, ...) __global__ void name##_optional(float *data __VA_OPT__(, ) __VA_ARGS__)
#define PLAIN(name) __global__ void name##_kernel
#define BOUNDS __launch_bounds__(128)
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

// NAME: {{[^ ]*}}:[[#@LINE+3]]:1: error: scale_counted: the kernel's declaration is spelled by a macro that cannot be
// NAME-SAME: written out: scale_counted [KernelFromMacro]
// NAME: note: write the kernel's head without the macro
COUNTED(scale, float by) { data[threadIdx.x] *= by; }

// GLOBAL: {{[^ ]*}}:[[#@LINE+3]]:26: error: counted: the kernel's declaration is spelled by a macro that cannot be
// GLOBAL-SAME: written out: no __global__ is written before counted [KernelFromMacro]
// GLOBAL: note: write the kernel's head
GLOBAL_COUNTED(128) void counted(float *data, float by) { data[threadIdx.x] += by; }

// A library's macro stays as it is, and here it would be another name.
// LIBRARY: {{[^ ]*}}:[[#@LINE+2]]:17: error: scale_0x7fffffff: the kernel's declaration is spelled by a macro that cannot
// LIBRARY-SAME: be written out: scale_0x7fffffff [KernelFromMacro]
__global__ void CAT(scale_, INT_MAX)(float *data) { data[threadIdx.x] = 1; }

MORE(scale, float by) { data[threadIdx.x] *= by; }
GLOBAL(128) void more(float *data, float by) { data[threadIdx.x] += by; }
PLAIN(plain)(float *data) { data[threadIdx.x] = 1; }
__global__ void BOUNDS bounded(float *data) { data[threadIdx.x] = 0; }
OPTIONAL(scale, float by) { data[threadIdx.x] *= by; }
