// What the kernels' headers name like the output, or like what it puts beside that name, is refused with the remedy, and is
// fine under another name. The name that no one chose was a bug of ours.
// RUN: rm -rf %t && mkdir %t && split-file %s %t.files
// RUN: %exits 2 %cufuse fuse %t.files/add.cu:add %t.files/sub.cu:sub --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 2 %cufuse fuse %t.files/sub.cu:sub --name less -o %t/out.cu --block 64 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BESIDE '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %t.files/add.cu:add %t.files/sub.cu:sub --block 64 --block 64 --name both -o %t/out.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I %t.files -cubin -o %t/out.cubin %t/out.cu

// CHECK: error: 'add_sub' is declared by a header of the output: {{.*}}add.h:2:{{[0-9]+}}
// CHECK: note: choose another --name
// BESIDE: error: 'less_text' is declared by a header of the output: {{.*}}sub.h:2:{{[0-9]+}}
// BESIDE: note: choose another --name

//--- add.h
#pragma once
inline __device__ int add_sub(int x) { return x + 1; }
//--- add.cu
#include "add.h"
__global__ void add(int *data) { data[threadIdx.x] = add_sub(data[threadIdx.x]); }
//--- sub.h
#pragma once
inline __device__ int less_text(int x) { return x - 1; }
//--- sub.cu
#include "sub.h"
__global__ void sub(int *data) { data[threadIdx.x] = less_text(data[threadIdx.x]); }
