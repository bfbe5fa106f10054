// The types of arguments are copied into the header, which the host reads, too. What is other text there is refused where
// only the device's would be copied, or where the host's names something that is not; in a header it is right.
// RUN: rm -rf %t && split-file --leading-lines %s %t
// RUN: cd %t && %exits 1 %cufuse fuse a.cu:by_macro a.cu:by_constant a.cu:by_call a.cu:by_host_macro a.cu:by_argument \
// RUN:   --block 64 --block 64 --block 64 --block 64 --block 64 -o out.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse %t/table.cu:by_table --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: %exits 1 %cufuse fuse %t/include.cu:by_include --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=INCLUDE
// RUN: cd %t && %exits 1 %cufuse fuse host.cu:by_log host.cu:by_limit host.cu:by_operator host.cu:by_special host.cu:by_unread \
// RUN:   host.cu:by_late --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 -o out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=HOST
// RUN: %exits 1 %cufuse fuse %t/hidden.cu:by_using --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=USING
// RUN: not ls %t/out.cu
// RUN: %cufuse fuse %t/header.cu:in_header --block 64 -o %t/out.cu
// RUN: cd %t && %nvcc -arch=sm_90 -Wno-deprecated-gpu-targets -c -o out.o out.cu
// RUN: %cufuse fuse %t/local.cu:by_local --block 64 -o %t/out.cu
// RUN: cd %t && %nvcc -arch=sm_90 -Wno-deprecated-gpu-targets -c -o out.o out.cu
// RUN: %exits 1 %cufuse fuse %t/unseen.cu:by_type %t/unseen.cu:by_friend %t/unseen.cu:by_lambda --block 64 --block 64 --block 64 \
// RUN:   -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=HIDDEN
// RUN: %exits 1 %cufuse fuse %t/braces.cu:by_braces --block 64 -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=BRACES
// RUN: %exits 1 %cufuse fuse %t/part.cu:by_part --block 64 -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=PART
// RUN: %exits 1 %cufuse fuse %t/branch.cu:by_branch --block 64 -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=BRANCH

//--- a.cu
#include <nv/target>
#ifdef __CUDA_ARCH__
// CHECK: a.cu:[[#@LINE+2]]:9: error: by_macro: the output's host code needs a copy of this, which may be other text for the
// CHECK-SAME: host: the macro ON_DEVICE depends on __CUDA_ARCH__ [HostReadsOther]
#define ON_DEVICE 1
// CHECK: note: move it to a header
// CHECK: a.cu:[[#@LINE+1]]:1: error: by_constant: {{.*}} it stands where the text depends on __CUDA_ARCH__
constexpr bool onDevice = true;
#else
#define ON_DEVICE 0
constexpr bool onDevice = false;
#define COUNT() count()
#endif
static void count() {}

struct ByMacro {
  float *host, *device;
  __host__ __device__ float *data() const { return ON_DEVICE ? device : host; }
};
__global__ void by_macro(ByMacro v) { v.data()[threadIdx.x] = 1; }

struct ByConstant {
  float *host, *device;
  __host__ __device__ float *data() const { return onDevice ? device : host; }
};
__global__ void by_constant(ByConstant v) { v.data()[threadIdx.x] = 1; }

// CHECK: a.cu:[[#@LINE+1]]:1: error: by_call: {{.*}} it names `count`, where its text depends on __CUDA_ARCH__
struct ByCall {
  float *host, *device;
  __host__ __device__ float *data() const {
#ifdef __CUDA_ARCH__
    return device;
#else
    count();
    return host;
#endif
  }
};
__global__ void by_call(ByCall v) { v.data()[threadIdx.x] = 1; }

// CHECK: a.cu:[[#@LINE+1]]:1: error: by_host_macro: {{.*}} it names `COUNT`, where
struct ByHostMacro {
  float *device;
  __host__ __device__ float *data() const {
#ifndef __CUDA_ARCH__
    COUNT();
#endif
    return device;
  }
};
__global__ void by_host_macro(ByHostMacro v) { v.data()[threadIdx.x] = 1; }

// CHECK: a.cu:[[#@LINE+1]]:1: error: by_argument: {{.*}} it names `count`, where
struct ByArgument {
  float *device;
  __host__ __device__ float *data() const {
    NV_IF_TARGET(NV_IS_HOST, (count();))
    return device;
  }
};
__global__ void by_argument(ByArgument v) { v.data()[threadIdx.x] = 1; }

//--- host.cu
#include <cstdio>
#include <iostream>
static void fail(const char *what) { puts(what); }
#define FAIL(what) fail(what)
enum { LIMIT = 4 };
static std::ostream &operator<<(std::ostream &out, const dim3 &) { return out; }

// HOST: host.cu:[[#@LINE+1]]:1: error: by_log: {{.*}} it names `fail`, where its text depends on __CUDA_ARCH__
struct ByLog {
  int n;
  __host__ __device__ int at(int i) const {
#ifndef __CUDA_ARCH__
    if (i >= n)
      FAIL("range");
#endif
    return i;
  }
};
__global__ void by_log(ByLog v, float *x) { x[v.at(threadIdx.x)] = 1; }

// HOST: host.cu:[[#@LINE+1]]:1: error: by_limit: {{.*}} it names `LIMIT`, where
struct ByLimit {
  __host__ __device__ int at(int i) const {
#ifndef __CUDA_ARCH__
    if (i >= LIMIT)
      return 0;
#endif
    return i;
  }
};
__global__ void by_limit(ByLimit v, float *x) { x[v.at(threadIdx.x)] = 1; }

// HOST: host.cu:[[#@LINE+1]]:1: error: by_operator: {{.*}} it names `<<`, where
struct ByOperator {
  __host__ __device__ int at(int i) const {
#ifndef __CUDA_ARCH__
    std::cerr << dim3(i);
#endif
    return i;
  }
};
__global__ void by_operator(ByOperator v, float *x) { x[v.at(threadIdx.x)] = 1; }

static int calls = 0;
struct BySpecial {
  template <typename T> __host__ __device__ T get() const { return T(1); }
};
// HOST: host.cu:[[#@LINE+2]]:51: error: by_special: {{.*}} a parameter's type may call it there, and it needs what is not
// HOST-SAME: copied [HostReadsOther]
template <> __host__ __device__ double BySpecial::get<double>() const { return ++calls; }
__global__ void by_special(BySpecial v, float *x) { x[threadIdx.x] = v.get<float>(); }

template <typename T> __host__ __device__ T converted(float v) { return T(v); }
// HOST: host.cu:[[#@LINE+1]]:29: error: by_unread: {{.*}} a parameter's type may call it there, and Clang does not accept it
template <> __host__ double converted<double>(float v) { return v * 2; }
struct ByUnread {
  template <typename T> __host__ __device__ T get() const { return converted<T>(1); }
};
__global__ void by_unread(ByUnread v, float *x) { x[threadIdx.x] = v.get<float>(); }

struct ByLate {
  template <typename T> __host__ __device__ T get() const;
};
__host__ __device__ inline float late(float x, const ByLate &) { return x; }
template <typename T> __host__ __device__ T ByLate::get() const { return late(T(1), *this); }
// HOST: host.cu:[[#@LINE+1]]:15: error: by_late: {{.*}} it needs what is not copied
inline double late(double x, const ByLate &) { return x + ++calls; }
__global__ void by_late(ByLate v, float *x) { x[threadIdx.x] = v.get<float>(); }

//--- lib.h
#pragma once
namespace lib {
#ifdef __CUDA_ARCH__
// USING: lib.h:[[#@LINE+1]]:25: error: by_using: {{.*}} it stands where the text depends on __CUDA_ARCH__, and another is copied
__device__ inline float scaled(float x, int by) { return x * by; }
#else
inline float scaled(float x, int by) { return x + by; }
#endif
} // namespace lib

//--- hidden.cu
#include "lib.h"
__host__ __device__ inline float scaled(float x, double by) { return x; }
namespace lib {
struct ByUsing {
  int by;
  __host__ __device__ float of(float x) const {
#ifdef __CUDA_ARCH__
    return scaled(x, by) + ::scaled(x, 1.0);
#else
    return scaled(x, by);
#endif
  }
};
__global__ void by_using(ByUsing v, float *x) { x[threadIdx.x] = v.of(x[threadIdx.x]); }
} // namespace lib

//--- table.cu
#ifdef __CUDA_ARCH__
// TABLE: table.cu:[[#@LINE+1]]:9: error: by_table: {{.*}} the macro ROWS depends on __CUDA_ARCH__ [HostReadsOther]
#define ROWS 4
#else
#define ROWS 8
#endif
__constant__ const float table[ROWS] = {1, 2, 3, 4};
__global__ void by_table(float *out) { out[threadIdx.x] = table[threadIdx.x % 4]; }

//--- include.cu
#ifdef __CUDA_ARCH__
// INCLUDE: include.cu:[[#@LINE+1]]:1: error: by_include: {{.*}} whether the file is included depends on __CUDA_ARCH__
#include "device.h"
#else
#include "host.h"
#endif
struct ByInclude {
  float *host, *device;
  __host__ __device__ float *data() const { return choose(host, device); }
};
__global__ void by_include(ByInclude v) { v.data()[threadIdx.x] = 1; }

//--- device.h
#pragma once
__host__ __device__ inline float *choose(float *, float *device) { return device; }

//--- host.h
#pragma once
__host__ __device__ inline float *choose(float *host, float *) { return host; }

//--- header.cu
#include "buffer.h"
__global__ void in_header(Buffer v) { v.data()[threadIdx.x] = 1; }

//--- buffer.h
#pragma once
#ifdef __CUDA_ARCH__
#define ON_DEVICE 1
#else
#define ON_DEVICE 0
#endif
struct Buffer {
  float *host, *device;
  __host__ __device__ float *data() const { return ON_DEVICE ? device : host; }
};

//--- local.cu
struct ByLocal {
  float *host, *device;
  __host__ __device__ float *data() const {
#ifdef __CUDA_ARCH__
    float *chosen = device;
#else
    float *chosen = host;
    int size = 0;
    (void)size;
#endif
    return chosen;
  }
};
__global__ void by_local(ByLocal v) { v.data()[threadIdx.x] = 1; }
#ifndef __CUDA_ARCH__
// What functions of the host call their own is no name of the file.
static int twice(int size) { return 2 * size; }
static inline float *choose(float *chosen) {
  if (chosen) {
    int size = twice(1);
    return chosen + size;
  }
  return chosen;
}
#endif

//--- unseen.cu
#ifndef __CUDA_ARCH__
inline void seen(struct count *of) {}
struct Host {
  friend int total(Host, int v) { return v; }
};
static auto length = [](int of) { return of; };
#endif
// HIDDEN: unseen.cu:[[#@LINE+1]]:1: error: by_type: {{.*}} it names `count`, where
struct ByType {
  float *data;
  __host__ __device__ void *other() const {
#ifndef __CUDA_ARCH__
    return (count *)data;
#endif
    return data;
  }
};
__global__ void by_type(ByType v) { v.data[threadIdx.x] = 1; }
// HIDDEN: unseen.cu:[[#@LINE+1]]:1: error: by_friend: {{.*}} it names `total`, where
struct ByFriend {
  float *data;
  template <typename T> __host__ __device__ int other(T v) const {
#ifndef __CUDA_ARCH__
    return total(v, 1);
#endif
    return 0;
  }
};
__global__ void by_friend(ByFriend v) { v.data[threadIdx.x] = 1; }
// HIDDEN: unseen.cu:[[#@LINE+1]]:1: error: by_lambda: {{.*}} it names `length`, where
struct ByLambda {
  float *data;
  __host__ __device__ int other() const {
#ifndef __CUDA_ARCH__
    return length(1);
#endif
    return 0;
  }
};
__global__ void by_lambda(ByLambda v) { v.data[threadIdx.x] = 1; }

//--- braces.cu
#ifndef __CUDA_ARCH__
#define END }
static void first(int of) { END
static int count = 1;
static void second(int of) { END
#endif
// BRACES: braces.cu:[[#@LINE+1]]:1: error: by_braces: {{.*}} it names `count`, where
struct ByBraces {
  float *data;
  __host__ __device__ int other() const {
#ifndef __CUDA_ARCH__
    return count;
#endif
    return 0;
  }
};
__global__ void by_braces(ByBraces v) { v.data[threadIdx.x] = 1; }

//--- box.h
#pragma once
template <typename T> struct Box {
  T v;
  template <typename U> __host__ __device__ U get() const { return scaled(U(v), *this); }
};
template <typename T> __host__ __device__ inline float scaled(float x, const Box<T> &) { return x; }
// PART: box.h:[[#@LINE+1]]:57: error: by_part: {{.*}} call it there, and of this header only a part is copied [HostReadsOther]
template <typename T> __host__ __device__ inline double scaled(double x, const Box<T> &) { return 2 * x; }

//--- part.cu
#include "box.h"
template <> struct Box<int> {
  int w;
};
__global__ void by_part(Box<float> v) { v.get<float>(); }

//--- device.inc
return 1;
//--- host.inc
return 2;
//--- branch.cu
struct Branched {
  int *data;
  __host__ __device__ int which() const {
#ifdef __CUDA_ARCH__
#include "device.inc"
#else
// BRANCH: branch.cu:{{[0-9]+}}:1: error: by_branch: {{.*}} the host alone includes a file there [HostReadsOther]
#include "host.inc"
#endif
  }
};
__global__ void by_branch(Branched b) { b.data[threadIdx.x] = b.which(); }
