// Clang's own names are hidden from the user's text, and what nvcc and its host compiler define is there: the branch that
// is analysed is the one that nvcc compiles. Architectures for which the text is the same are fused together.
// REQUIRES: nvcc
// RUN: rm -rf %t && split-file %s %t
// RUN: cd %t && %cufuse fuse a.cu:a b.cu:b --block 64 --block 64 --name asks -o out.cu -- -gencode \
// RUN:   arch=compute_90,code=sm_90 -gencode arch=compute_80,code=sm_80 -I %t
// RUN: FileCheck %t/a.cu --input-file=%t/out.cu
// RUN: cd %t && %nvcc -c out.cu -o out.o -gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=sm_80 -I %t
// A second run, which remembers nvcc's answers, notices what was changed.
// RUN: sed -i 's/WIDTH 32/WIDTH __CUDA_ARCH__/' %t/width.h
// RUN: cd %t && %exits 1 %cufuse fuse a.cu:a b.cu:b --block 64 --block 64 -o out.cu -- -gencode \
// RUN:   arch=compute_90,code=sm_90 -gencode arch=compute_80,code=sm_80 -I %t 2>&1 | FileCheck %t/width.h
// The same where the name is made with ##.
// RUN: sed -i 's/WIDTH __CUDA_ARCH__/WIDTH 32/; s/STEP_LONG 2/STEP_LONG __CUDA_ARCH__/' %t/width.h
// RUN: cd %t && %exits 1 %cufuse fuse a.cu:a b.cu:b --block 64 --block 64 -o out.cu -- -gencode \
// RUN:   arch=compute_90,code=sm_90 -gencode arch=compute_80,code=sm_80 -I %t 2>&1 | FileCheck %t/width.h --check-prefix=PASTED
//--- width.h
// CHECK: a.cu:[[#]]:{{.*}} for sm_90, nvcc expands 'WIDTH' otherwise than cufuse [OtherCompilersText]
#define WIDTH 32
// PASTED: a.cu:[[#]]:{{.*}} for sm_90, nvcc expands 'STEP' otherwise than cufuse [OtherCompilersText]
#define STEP_LONG 2
#define JOIN(a, b) a##b
#define STEP(kind) JOIN(STEP_, kind)
//--- a.cu
// The barrier was seen:
// CHECK: using cufuse_partition = asks::CufusePartition<0, 1,
#include "width.h"
#include <cassert>
#include <cmath>
#include <cstdint>
#include <nv/target>
#ifdef __CUDA__
#define WAIT()
#else
#define WAIT() __syncthreads()
#endif
#if defined(__clang__) || defined(__has_feature)
#error this is not nvcc
#endif
// What each has of its own, it says itself: gcc has other built-ins and attributes than Clang.
#define HAS(x) __has_builtin(x)
#if HAS(__builtin_addc) || !HAS(__builtin_expect) || __has_attribute(overloadable) || !__has_attribute(noinline) || \
    __has_cpp_attribute(clang::musttail) || !__has_cpp_attribute(gnu::pure) || __has_cpp_attribute(nodiscard) < 201603
#error gcc has what Clang has
#endif
#if !defined(__has_builtin)
#error every compiler of today has it
#elif __has_builtin(__type_pack_element)
template <class T, class... More> using First = __type_pack_element<0, T, More...>;
#else
template <class T, class... More> struct FirstOf { using Type = T; };
template <class T, class... More> using First = typename FirstOf<T, More...>::Type;
#endif
// cuda.h's, which nothing here includes.
#if CUDA_VERSION >= 9000 || defined(CUDA_VERSION)
#error nobody included cuda.h
#endif
// A macro of the toolkit has this name, but takes an argument.
#define WHERE() __func__
inline const char *here() { return WHERE(); }
#if __GNUC__ < 5 || !defined(__CUDACC_VER_MAJOR__) || defined(__CUDACC_EXTENDED_LAMBDA__)
#error nvcc and its host compiler are others
#endif
#if __CUDA_ARCH__ < 700
#error an architecture that nobody asked for
#endif
__global__ void a(int *out) {
  __shared__ int s[WIDTH * 2];
  assert(out != nullptr);
#pragma unroll 2
  for (int i = 0; i < 4; ++i)
    s[threadIdx.x] = i + INT32_MAX - static_cast<int>(INFINITY > 1.0f);
  WAIT();
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_70, (s[threadIdx.x] += STEP(LONG);), (__trap();))
  First<int, float> last = s[63 - threadIdx.x] + (NULL == out);
  out[threadIdx.x] = last;
}
//--- b.cu
#include <cuda.h>
#if CUDA_VERSION < 13000
#error CUDA 13 is what is read
#endif
__global__ void b(int *out) { out[threadIdx.x] = __CUDACC_VER_MAJOR__ + __cplusplus; }
