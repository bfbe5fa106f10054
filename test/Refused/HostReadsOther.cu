// What the host's code of the output names must be there for the host, too: headers of the arguments, and the template
// arguments of the device's variables.
// RUN: rm -rf %t && split-file --leading-lines %s %t
// RUN: %exits 1 %cufuse fuse %t/include.cu:by_include --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=INCLUDE
// RUN: %exits 1 %cufuse fuse %t/variable.cu:by_variable --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=VARIABLE
// RUN: not ls %t/out.cu
// RUN: %cufuse fuse %t/variable.cu:by_declared --block 64 -o %t/out.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -c -o %t/out.o %t/out.cu

//--- include.cu
#ifdef __CUDA_ARCH__
// INCLUDE: include.cu:[[#@LINE+2]]:1: error: by_include: the output's host code cannot name this as the kernel's file
// INCLUDE-SAME: does: whether the file is included depends on __CUDA_ARCH__ [HostReadsOther]
#include "buffer.h"
// INCLUDE: note: move it to a header
#endif
__global__ void by_include(Buffer v) { v.data[threadIdx.x] = 1; }

//--- buffer.h
#pragma once
struct Buffer {
  float *data;
};

//--- variable.cu
template <typename T> struct Key {
  T v;
};
// VARIABLE: variable.cu:[[#@LINE+1]]:40: error: by_variable: {{.*}}: known, for its template arguments [HostReadsOther]
template <typename T> __constant__ int known[1] = {sizeof(T)};
__global__ void by_variable(int *out) { out[threadIdx.x] = known<Key<int>>[0]; }

// What can be declared is.
namespace keys {
struct Plain;
enum class Kind : short { First, Second };
template <typename T, Kind K> __constant__ int told[2] = {sizeof(T), int(K)};
} // namespace keys
__global__ void by_declared(int *out) {
  out[threadIdx.x] = keys::told<keys::Plain *, keys::Kind::Second>[threadIdx.x & 1];
}
