// Two files whose headers cannot be read one after the other are refused together, with the place; each is fine alone.
// RUN: rm -rf %t && mkdir %t && split-file %s %t.files
// RUN: %exits 1 %cufuse fuse %t.files/guard.cu:guard %t.files/same.cu:same --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t.files/guard.cu:guard %t.files/same.cu:same --block 64 --block 64 -o %t/out.cu \
// RUN:   --no-line-directives 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t.files/shared.cu:shared %t.files/own.cu:own --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=OWN '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t.files/plain.cu:plain %t.files/masked.cu:masked --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MACRO '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t.files/masked.cu:masked %t.files/plain.cu:plain --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MACRO '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t.files/ours.cu:ours %t.files/hosts.cu:hosts --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=SIDES '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// A declaration is none that disagrees.
// RUN: %cufuse fuse %t.files/ours.cu:ours %t.files/declares.cu:declares --block 64 --block 64 -o %t/out.cu
// RUN: %nvcc -arch=sm_90a -I%t.files -c %t/out.cu -o %t/out.o
// RUN: %cufuse fuse %t.files/guard.cu:guard --block 64 -o %t/out.cu
// RUN: %cufuse fuse %t.files/same.cu:same --block 64 -o %t/out.cu
// RUN: %cufuse fuse %t.files/shared.cu:shared --block 64 -o %t/out.cu
// RUN: %cufuse fuse %t.files/own.cu:own --block 64 -o %t/out.cu

// CHECK: {{[^ ]*}}same.cu:2:{{[0-9]+}}: error: the kernels' files cannot stand in one file, though each can alone: for
// CHECK-SAME: guard of guard.cu and same of same.cu, use of undeclared identifier 'less' [FilesDisagree]
// CHECK: note: rename what they or
// CHECK-SAME: their headers name alike, include guards, macros and file-scope names among it
// OWN: {{[^ ]*}}own.h:2:{{[0-9]+}}: error: the kernels' files cannot stand in one file, though each can alone: for
// OWN-SAME: shared of shared.cu and own of own.cu, static declaration of 'more' follows non-static declaration
// MACRO: {{[^ ]*}}plain.cu:2:{{[0-9]+}}: error: the kernels' files cannot stand in one file, though each can alone: the
// MACRO-SAME: macro WORD that plain needs is defined at {{[^ ]*}}mask.h:2:9 and {{[^ ]*}}turn.h:3:9 [FilesDisagree]
// Also where one of them is the host's: that tells them apart for Clang alone.
// SIDES: {{[^ ]*}}hosts.h:2:{{[0-9]+}}: error: the kernels' files cannot stand in one file, though each can alone: for
// SIDES-SAME: ours of ours.cu and hosts of hosts.cu, redefinition of 'square' [FilesDisagree]

//--- turn.h
#pragma once
#ifndef WORD
#define WORD(x) (x)
#endif
#define TURN(x, n) WORD(((x) << (n)) | ((x) >> (32 - (n))))
//--- mask.h
#pragma once
#define WORD(x) ((x) & 0xFFFFFFFFu)
inline __device__ float mask(float x) { return x; }
//--- plain.cu
#include "turn.h"
__global__ void plain(unsigned *data) { data[threadIdx.x] = TURN(data[threadIdx.x], 3); }
//--- masked.cu
#include "mask.h"
#include "turn.h"
__global__ void masked(float *data) { data[threadIdx.x] = mask(1); }
//--- more.h
#ifndef HELPERS_H
#define HELPERS_H
inline __device__ float more(float x) { return x + 1; }
#endif
//--- guard.cu
#include "more.h"
__global__ void guard(float *data) { data[threadIdx.x] = more(data[threadIdx.x]); }
//--- less.h
#ifndef HELPERS_H
#define HELPERS_H
inline __device__ float less(float x) { return x - 1; }
#endif
//--- same.cu
#include "less.h"
__global__ void same(float *data) { data[threadIdx.x] = less(data[threadIdx.x]); }
//--- shared.cu
#include "more.h"
__global__ void shared(float *data) { data[threadIdx.x] = more(data[threadIdx.x]); }
//--- own.h
#pragma once
static __device__ float more(float x) { return x + 2; }
//--- own.cu
#include "own.h"
__global__ void own(float *data) { data[threadIdx.x] = more(data[threadIdx.x]); }
//--- ours.h
#pragma once
__device__ inline int square(int x) { return x * x; }
//--- hosts.h
#pragma once
inline int square(int x) { return x * x; }
__device__ inline int more(int x) { return x + 4; }
//--- ours.cu
#include "ours.h"
__global__ void ours(int *data) { data[threadIdx.x] = square(data[threadIdx.x]); }
//--- hosts.cu
#include "hosts.h"
__global__ void hosts(int *data) { data[threadIdx.x] = more(data[threadIdx.x]); }
int check(int x) { return square(x); }
//--- declares.h
#pragma once
int square(int x);
__device__ inline int less(int x) { return x - 4; }
//--- declares.cu
#include "declares.h"
__global__ void declares(int *data) { data[threadIdx.x] = less(data[threadIdx.x]); }
