// The output is compiled once: with fast arithmetic or without, and for one architecture.
// RUN: rm -rf %t && split-file %s %t && sed 's|@ROOT@|%t|g' %t/commands.in > %t/compile_commands.json
// RUN: %exits 1 %cufuse fuse %t/fast.cu:fast %t/slow.cu:slow --block 32 --block 32 -p %t -o %t/out.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse %t/fast.cu:fast %t/old.cu:old --block 32 --block 32 -p %t -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: %cufuse fuse %t/fast.cu:fast %t/other.cu:other --block 32 --block 32 -p %t -o %t/out.cu

// CHECK: slow.cu:1:{{[0-9]+}}: error: the kernels' files are compiled with other arithmetic or for other architectures: slow is compiled
// CHECK-SAME: with -fmad=false -arch=sm_90a, fast with -use_fast_math -arch=sm_90a [FlagsDisagree]
// CHECK: note: compile both alike
// OLD: old is compiled with -use_fast_math -arch=sm_80, fast with -use_fast_math -arch=sm_90a [FlagsDisagree]

//--- commands.in
[{"directory": "@ROOT@", "file": "@ROOT@/fast.cu", "command": "nvcc -arch=sm_90a -use_fast_math -c fast.cu"},
 {"directory": "@ROOT@", "file": "@ROOT@/other.cu", "command": "nvcc -arch=sm_90a --use_fast_math -c other.cu"},
 {"directory": "@ROOT@", "file": "@ROOT@/old.cu", "command": "nvcc -arch=sm_80 -use_fast_math -c old.cu"},
 {"directory": "@ROOT@", "file": "@ROOT@/slow.cu", "command": "nvcc -arch=sm_90a -fmad false -c slow.cu"}]
//--- fast.cu
__global__ void fast(float *x) { x[threadIdx.x] = sinf(x[threadIdx.x]); }
//--- other.cu
__global__ void other(float *x) { x[threadIdx.x] *= 2.0f; }
//--- old.cu
__global__ void old(float *x) { x[threadIdx.x] *= 3.0f; }
//--- slow.cu
__global__ void slow(float *x) { x[threadIdx.x] = x[threadIdx.x] * 2.0f + 1.0f; }
