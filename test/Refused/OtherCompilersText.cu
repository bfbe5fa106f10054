// Text that nvcc does not preprocess to what was read is refused: for another architecture of the flags, by a test that
// still tells the compilers apart, by a macro of a library; where nvcc is not at hand, by any question for the compiler.
// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:by_architecture --block 64 -o %t/out.cu -- -gencode arch=compute_90,code=sm_90 \
// RUN:   -gencode arch=compute_80,code=sm_80 2>&1 | FileCheck %s --check-prefix=ARCH --implicit-check-not=refused:
// RUN: %exits 1 %cufuse fuse %s:by_architecture --block 64 -o %t/out.cu -- -arch=all-major 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MAJOR
// RUN: %exits 1 %cufuse fuse %s:by_compiler --block 64 -o %t/out.cu -- -arch=sm_80 -DASK 2>&1 | \
// RUN:   FileCheck %s --check-prefix=COMPILER --implicit-check-not=refused:
// RUN: %exits 1 %cufuse fuse %s:by_macro --block 64 -o %t/out.cu -- -arch=sm_80 -DEXPAND 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MACRO --implicit-check-not=refused:
// RUN: mkdir %t/cuda && ln -s $(dirname %nvcc)/../include $(dirname %nvcc)/../nvvm %t/cuda
// RUN: %exits 1 env CUDA_HOME=%t/cuda CUDA_PATH=%t/cuda PATH=/bin %cufuse fuse %s:by_version --block 64 -o %t/out.cu \
// RUN:   -- -arch=sm_80 -DVERSION 2>&1 | FileCheck %s --check-prefix=ABSENT --implicit-check-not=refused:
// RUN: not ls %t/out.cu

// ARCH: refused: {{[^ ]*}}:[[#@LINE+4]]:1: by_architecture: nvcc compiles another text here than cufuse reads:
// ARCH-SAME: for sm_90, nvcc reads 'out' where cufuse reads '__syncthreads' [OtherCompilersText]; leave out what
// MAJOR: refused: {{[^ ]*}}:[[#@LINE+2]]:1: by_architecture: {{.*}} for sm_90, nvcc reads
__global__ void by_architecture(int *out) {
#if __CUDA_ARCH__ >= 900
  out[threadIdx.x] = 1;
#else
  __syncthreads();
  out[threadIdx.x] = 2;
#endif
}

__global__ void by_compiler(int *out) {
// COMPILER: refused: {{[^ ]*}}:[[#@LINE+1]]:1: by_compiler: {{.*}} nvcc reads '0' where cufuse reads '1'
#if defined(ASK) && __has_builtin(__nvvm_barrier_cta_sync_all)
  out[threadIdx.x] = 1;
#else
  out[threadIdx.x] = 0;
#endif
}

#ifdef EXPAND
#include <cuda/std/cstddef>
// MACRO: refused: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: by_macro: {{.*}} nvcc expands '_CCCL_CUDA_COMPILER' otherwise than
__global__ void by_macro(int *out) { out[threadIdx.x] = _CCCL_CUDA_COMPILER(CLANG); }
#endif

__global__ void by_version(int *out) {
// ABSENT: refused: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: by_version: {{.*}} __GNUC__ may be another for nvcc, and nvcc is not
#if defined(VERSION) && __GNUC__ >= 5
  out[threadIdx.x] = 1;
#endif
}
