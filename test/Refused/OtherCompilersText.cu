// Text that nvcc does not preprocess to what was read is refused: for another architecture of the flags, by a test that
// still tells the compilers apart; where nvcc is not at hand, by any question for the compiler.
// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:by_architecture --block 64 -o %t/out.cu -- -gencode arch=compute_90,code=sm_90 \
// RUN:   -gencode arch=compute_80,code=sm_80 2>&1 | FileCheck %s --check-prefix=ARCH '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:by_architecture --block 64 -o %t/out.cu -- -arch=all-major 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MAJOR
// RUN: %exits 1 %cufuse fuse %s:by_compiler --block 64 -o %t/out.cu -- -arch=sm_80 -DASK 2>&1 | \
// RUN:   FileCheck %s --check-prefix=COMPILER '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:by_pasted_name --block 64 -o %t/out.cu -- -gencode arch=compute_90,code=sm_90 \
// RUN:   -gencode arch=compute_80,code=sm_80 -DPASTE 2>&1 | FileCheck %s --check-prefix=PASTED
// RUN: mkdir -p %t/cuda/bin && %python -c "import os, sys; root = os.path.dirname(os.path.dirname(os.path.realpath( \
// RUN:   sys.argv[1]))); [os.symlink(os.path.join(root, name), os.path.join(sys.argv[2], name)) for name in \
// RUN:   ('include', 'nvvm')]" %nvcc %t/cuda
// RUN: %exits 1 env CUDA_HOME=%t/cuda CUDA_PATH=%t/cuda PATH=/bin %cufuse fuse %s:by_version --block 64 -o %t/out.cu \
// RUN:   -- -arch=sm_80 -DVERSION 2>&1 | FileCheck %s --check-prefix=ABSENT '--implicit-check-not={{(error|refused):}}'
// RUN: not ls %t/out.cu

#ifdef PASTE
// The library asks for a name that it makes with ##.
#include <nv/target>
__global__ void by_pasted_name(int *out) {
  // PASTED: {{[^ ]*}}:[[#@LINE+1]]:3: error: by_pasted_name: {{.*}} for sm_90, nvcc expands 'NV_IF_ELSE_TARGET' otherwise
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (out[threadIdx.x] = 1;), (__trap();))
}
#endif

// ARCH: {{[^ ]*}}:[[#@LINE+5]]:1: error: by_architecture: nvcc compiles other text here than cufuse reads:
// ARCH-SAME: for sm_90, nvcc reads 'out' where cufuse reads '__syncthreads' [OtherCompilersText]
// ARCH: note: leave out what
// MAJOR: {{[^ ]*}}:[[#@LINE+2]]:1: error: by_architecture: {{.*}} for sm_90, nvcc reads
__global__ void by_architecture(int *out) {
#if __CUDA_ARCH__ >= 900
  out[threadIdx.x] = 1;
#else
  __syncthreads();
  out[threadIdx.x] = 2;
#endif
}

#ifdef ASK
__global__ void by_compiler(int *out) {
// COMPILER: {{[^ ]*}}:[[#@LINE+1]]:1: error: by_compiler: {{.*}} nvcc reads '0' where cufuse reads '1'
#if __has_include(<__clang_cuda_cmath.h>)
  out[threadIdx.x] = 1;
#else
  out[threadIdx.x] = 0;
#endif
}
#endif

__global__ void by_version(int *out) {
// ABSENT: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: error: by_version: {{.*}} __GNUC__ may be another for nvcc, and nvcc is not
#if defined(VERSION) && __GNUC__ >= 5
  out[threadIdx.x] = 1;
#endif
}
