// A library's function is called like an atomic of CUDA, and the files that include it set its macro differently.
// RUN: rm -rf %t && mkdir %t
// RUN: split-file %s %t.files
// RUN: %exits 1 %cufuse fuse %t.files/a.cu:five %t.files/b.cu:one --block 64 --block 64 -o %t/out.cu \
// RUN:   -- -isystem %t.files/library 2>&1 | FileCheck %s
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %t.files/a.cu:five --block 64 -o %t/out.cu -- -isystem %t.files/library

// CHECK: error: {{.*}} [{{OtherMeaning|HeaderConfiguration}}]

//--- library/steps.cuh
#pragma once
#ifndef STEP
#define STEP 1
#endif
__device__ inline int atomicStep(int *at, int times) { return atomicAdd(at, times * STEP); }

//--- a.cu
#define STEP 5
#include <steps.cuh>
__global__ void five(int *out) { atomicStep(out + threadIdx.x, 1); }

//--- between.h
#pragma once
#include <steps.cuh>

//--- b.cu
#include "between.h"
__global__ void one(int *out) { atomicStep(out + threadIdx.x, 1); }
