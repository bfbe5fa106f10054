// The output includes what the kernels need, and what those headers need. Where it is not right without the rest, it has all.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse a.cu:scale b.cu:shift --block 64 --block 64 --name fused -o fused.cu -- -I.
// RUN: grep -h '#include' fused.h fused.cu | FileCheck %s
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I. -cubin -o fused.cubin fused.cu
// CHECK: #include <cuda_runtime.h>
// CHECK-NEXT: #include "types.h"
// CHECK-NEXT: #include "fused.h"
// CHECK-NEXT: #include "types.h"
// CHECK-NEXT: #include "rate.h"
// CHECK-NEXT: #include "math.cuh"
// CHECK-NOT: #include

// Headers of one name that two files find in different folders are none of the output's, either.
// RUN: %cufuse fuse one/c.cu:plain two/d.cu:other --block 64 --block 64 --name both -o both.cu
// RUN: not grep tools.h both.cu both.h

// A header that only a macro of another library's header needs is kept with that.
// RUN: %cufuse fuse e.cu:byMacro b.cu:shift --block 64 --block 64 --name whole -o all.cu -- -I.
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I. -cubin -o all.cubin all.cu
// RUN: grep -c 'include "' all.cu | FileCheck %s --check-prefix=ALL
// ALL: {{[3-9]}}

//--- a.cu
#include <map>
#include <string>
#include "logging.h"
#include "types.h"
#include "rate.h"
#include "math.cuh"
static std::map<std::string, int> names;
__global__ void scale(float *data, Factor f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = scaled(data[i], f);
}
void run(float *data) {
  logged("scale");
  scale<<<1, 64>>>(data, Factor{2});
}

//--- b.cu
#include "logging.h"
#include <vector>
__global__ void shift(float *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

//--- logging.h
#pragma once
#include <cstdio>
#include <iostream>
inline void logged(const char *what) { std::cout << what << "\n"; }

//--- types.h
#pragma once
struct Factor {
  float by;
};

//--- rate.h
#pragma once
constexpr float rate = 0.5f;

//--- math.cuh
#pragma once
inline __device__ float scaled(float x, Factor f) { return x * f.by * rate; }

//--- one/c.cu
#include "tools.h"
__global__ void plain(float *data) { data[threadIdx.x] *= 2; }
void show() { told(1); }
//--- one/tools.h
inline int told(int x) { return x; }
//--- two/d.cu
#include "tools.h"
__global__ void other(float *data) { data[threadIdx.x] *= 3; }
void show() { told(); }
//--- two/tools.h
inline int told() { return 0; }

//--- e.cu
#include "half.h"
#include "uses.h"
__global__ void byMacro(float *data) { data[threadIdx.x] = used(data[threadIdx.x]); }
//--- half.h
#pragma once
#define HALF 0.5f
//--- uses.h
#pragma once
inline __device__ float used(float x) { return x * HALF; }
