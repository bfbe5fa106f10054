// The block of the launches in a file is a kernel's default where the host can launch it with no other: not where it is a
// parameter or changed, where the host's compilation reads other text, or where a launch may stand that is not seen.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: %cufuse inspect --full %t/known.cu > %t/known
// RUN: grep -c fusable %t/known > %t/kernels && grep -c "launched with" %t/known | diff - %t/kernels
// RUN: not grep "launched with.*not constant" %t/known
// RUN: %cufuse fuse '%t/known.cu:typed<int>' '%t/known.cu:plane(int *)' %t/known.cu:narrowed \
// RUN:   %t/known.cu:bytes %t/known.cu:byMembers --stop-after plan -o %t/out.cu | \
// RUN:   FileCheck %s --check-prefix=NAMED
// RUN: %cufuse inspect --full %t/unknown.cu > %t/unknown
// RUN: grep -c fusable %t/unknown > %t/kernels && grep -c "launched with.*not constant" %t/unknown | diff - %t/kernels
// RUN: %cufuse inspect --full %t/casts.cu > %t/unknown && %cufuse inspect --full %t/pointers.cu >> %t/unknown
// RUN: %cufuse inspect --full %t/void.cu >> %t/unknown && %cufuse inspect --full %t/classes.cu >> %t/unknown
// RUN: grep -c fusable %t/unknown > %t/kernels && grep -c "launched with.*not constant" %t/unknown | diff - %t/kernels
// RUN: %cufuse inspect --full %t/unread.cu | FileCheck %s --check-prefix=UNREAD
// RUN: %exits 1 %cufuse fuse %t/unknown.cu:parameter %t/unknown.cu:byMethod %t/unknown.cu:macro %t/unknown.cu:inSkipped \
// RUN:   %t/unknown.cu:handedOn -o %t/out.cu 2>&1 | FileCheck %s
// CHECK-DAG: parameter: the block size is not known: its block is not constant, at {{.*}}unknown.cu:[[#]]:[[#]] [UnknownBlock]
// CHECK-DAG: byMethod: the block size is not known: its block is not constant, at {{.*}}unknown.cu:[[#]]:[[#]] [UnknownBlock]
// CHECK-DAG: macro: the block size is not known: its block is not constant, at {{.*}}unknown.cu:[[#]]:[[#]] [UnknownBlock]
// CHECK-DAG: inSkipped: the block size is not known: host code that names it is not read [UnknownBlock]
// CHECK-DAG: handedOn: the block size is not known: what it is handed on to may launch it, at {{.*}} [UnknownBlock]
// NAMED: typed<int> copy 0, block 64,
// NAMED: plane copy 0, block 16x16,
// NAMED: narrowed copy 0, block 44,
// NAMED: bytes copy 0, block 44,
// NAMED: byMembers copy 0, block 32x4,
// UNREAD: {{^}}dropped(
// UNREAD: launched with 64, not constant
// UNREAD: {{^}}other(
// UNREAD: launched with 64{{$}}
// UNREAD: {{^}}byMacro(
// UNREAD: launched with 64, not constant
// UNREAD: {{^}}ofTemplate<float>(
// UNREAD: launched with 64{{$}}

//--- kernels.h
#pragma once
#define KERNEL(name) __global__ void name(int *o) { o[threadIdx.x + blockIdx.x * blockDim.x] = 1; }
#define EVERY_ARCH __CUDA_ARCH_LIST__

//--- known.cu
#include "kernels.h"
#include <algorithm>
#include <cstdio>
#include <functional>
KERNEL(constant)
KERNEL(local)
KERNEL(plane)
KERNEL(copied)
KERNEL(passed)
KERNEL(braced)
KERNEL(least)
KERNEL(asked)
KERNEL(sized)
KERNEL(captured)
KERNEL(generic)
KERNEL(reference)
KERNEL(converted)
KERNEL(named)
KERNEL(inTemplate)
KERNEL(inDependent)
KERNEL(chosen)
KERNEL(defined)
KERNEL(onlyDeclared)
KERNEL(perArchitecture)
KERNEL(sum)
KERNEL(narrowed)
KERNEL(bytes)
KERNEL(byMembers)
template <typename T> __global__ void typed(T *o) { o[threadIdx.x] = 1; }

#ifdef __CUDA_ARCH__
#define UNROLL 4
#else
#define UNROLL 1
#endif
#define THREADS 128
__host__ __device__ inline int unrolled(int x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return x * 2;
#else
  return x * UNROLL;
#endif
}
__device__ int inDevice(int x) {
#if __CUDA_ARCH__ < 700
  int sum = x;
  sum += x;
  return sum;
#else
  return x;
#endif
}
#ifndef __CUDA_ARCH__
__global__ void onlyDeclared(int *o);
#endif

void by(dim3 grid, dim3 block);
void see(const dim3 &block, const int &threads);
struct Timer {
  template <typename T> void note(T) {}
  void seen(const int &) const {}
};
// Casts of what no block is.
int compare(const void *a, const void *b) { return *static_cast<const int *>(a) - *(const int *)b; }
char *text(const float *values) { return const_cast<char *>("") + (int)*(float *)values; }
bool unused(const dim3 *block, const int *list) { return (void)block, (bool)list; }
void run(int *o, int n, bool big) {
  const int fixed = 256;
  constant<<<(n + fixed - 1) / fixed, fixed>>>(o);
  int threads = 256;
  int blocks = (n + threads - 1) / threads;
  local<<<blocks, threads>>>(o);
  dim3 block(16, 16), grid((n + block.x - 1) / block.x, 1);
  grid.y = n / block.y;
  plane<<<grid, block>>>(o);
  dim3 parts, others;
  parts.x = 2 * threads, others.x = 1;
  dim3 members;
  members.x = 32;
  members.y = 4;
  for (int turn = 0; turn < 2; ++turn)
    byMembers<<<grid, members>>>(o);
  dim3 same = block;
  copied<<<grid, same>>>(o);
  passed<<<grid, block>>>(o);
  by(grid, block);
  see(block, threads);
  Timer timer;
  timer.note(threads);
  timer.seen(threads);
  printf("%d %d\n", threads, block.x);
  int list = 64;
  int sizes[] = {list, n};
  dim3 braces = {32, 2, 1};
  braced<<<sizes[1], braces>>>(o);
  unsigned few = 64;
  least<<<std::min(unsigned(n), std::max(few, 3u)), few>>>(o);
  (void)few;
  int most = 0;
  cudaFuncSetAttribute(asked, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  cudaFuncSetAttribute((const void *)&asked, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  cudaFuncSetCacheConfig(asked, cudaFuncCachePreferL1);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, asked, threads, 0);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, asked);
  asked<<<most, threads>>>(o);
  (&sized)<<<sizeof(&sized) + sizeof(block), 32>>>(o);
  decltype(&sized) none = nullptr;
  (void)none;
  auto all = [&] { captured<<<blocks, threads>>>(o); };
  all();
  auto by = [=](auto p) { generic<<<blocks, threads>>>(p); };
  by(o);
  const dim3 &seen = block;
  reference<<<1, seen>>>(o);
  unsigned short little = few;
  converted<<<1, dim3{little, 2}>>>(o);
  const auto name = static_cast<dim3>(128);
  named<<<1, dim3(name)>>>(o);
  chosen<<<1, block>>>(o);
  dim3 either = big ? block : grid;
  by(o + either.x);
  defined<<<unrolled(n), THREADS>>>(o);
  onlyDeclared<<<UNROLL, 64>>>(o);
  sum<<<1, 64>>>(o);
  int large = 300;
  dim3 less(static_cast<unsigned char>(large), 1);
  narrowed<<<1, less>>>(o);
  unsigned char byte = large;
  bytes<<<1, byte>>>(o);
#if EVERY_ARCH
  perArchitecture<<<1, 64>>>(o);
#else
  perArchitecture<<<1, 32>>>(o);
#endif
}
template <typename T> struct Size {
  static constexpr int threads = sizeof(T) * 32;
};
template <typename T> void runTyped(T *o, int n) {
  typed<T><<<n, 64>>>(o);
  int threads = 64;
  T scaled = threads * T(2);
  by(n, Size<T>::threads);
  inTemplate<<<(n + threads - 1) / threads, threads>>>((int *)o);
  Timer().note(threads + scaled);
  std::plus<T>()(threads, n);
  inDependent<<<std::plus<T>()(threads, n), threads>>>(o);
}
template void runTyped(int *, int);

//--- unknown.cu
#include "kernels.h"
#include <iostream>
#include <nv/target>
struct Args {
  template <class T> void get(const char *, T &value) const { value = T(3) * 32; }
};
// The block is a parameter, or changed.
KERNEL(parameter)
KERNEL(ofLambda)
KERNEL(byMethod)
KERNEL(byOperator)
KERNEL(byAlias)
KERNEL(memberByAlias)
KERNEL(byBinding)
KERNEL(byPointer)
KERNEL(byCapture)
KERNEL(byGenericLambda)
KERNEL(byAssignment)
KERNEL(member)
KERNEL(memberBefore)
KERNEL(memberOfUnknown)
KERNEL(memberOnHost)
KERNEL(memberPast)
KERNEL(byAssembly)
KERNEL(isVolatile)
KERNEL(byDependent)
KERNEL(byCast)
void run(int *o, int blocks, int threads = 128) { parameter<<<blocks, threads>>>(o); }
template <typename T> void runDependent(int *o, const T &args) {
  int t = 128;
  args.get("threads", t);
  byDependent<<<2, t>>>(o);
}
template void runDependent(int *, const Args &);
void change(const Args &args, int *o) {
  auto lambda = [=](int threads = 128) { ofLambda<<<2, threads>>>(o); };
  lambda(64);
  int a = 128;
  args.get("threads", a);
  byMethod<<<2, a>>>(o);
  int b = 128;
  std::cin >> b;
  byOperator<<<2, b>>>(o);
  int c = 128;
  int &alias = c;
  alias = 64;
  byAlias<<<2, c>>>(o);
  dim3 d(128);
  dim3 &aliased = d;
  aliased.x = 64;
  memberByAlias<<<2, d>>>(o);
  dim3 e(128);
  auto &[x, y, z] = e;
  x = 64;
  byBinding<<<2, e>>>(o);
  int f = 128;
  void (*fill)(int &) = [](int &v) { v = 64; };
  fill(f);
  byPointer<<<2, f>>>(o);
  int g = 128;
  [&] { g = 64; }();
  byCapture<<<2, g>>>(o);
  int h = 128;
  [&](auto by) { by.get("threads", h); }(args);
  byGenericLambda<<<2, h>>>(o);
  int i = 128;
  i /= 2;
  byAssignment<<<2, i>>>(o);
  dim3 j;
  if (o)
    j.x = 32;
  member<<<2, j>>>(o);
  dim3 m;
  m.x = 32;
  memberBefore<<<2, m>>>(o);
  m.x = 64;
  dim3 p;
  p.x = a;
  memberOfUnknown<<<2, p>>>(o);
  dim3 q;
  q.x = 32;
#ifndef __CUDA_ARCH__
  q.y = 4;
#endif
  memberOnHost<<<2, q>>>(o);
  int k = 128;
  asm("" : "+r"(k));
  byAssembly<<<2, k>>>(o);
  volatile int l = 128;
  isVolatile<<<2, l>>>(o);
}
void goesPast(int *o) {
  dim3 a;
  if (o)
    goto past;
  a.x = 32;
past:
  memberPast<<<2, a>>>(o);
}
void castAway(int *o) {
  int a = 128;
  const int &seen = a;
  const_cast<int &>(seen) = 64;
  byCast<<<2, a>>>(o);
}

// The host's compilation reads another block, or other launches.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define SIZE 256
constexpr int Size = 256;
#include "device.h"
#else
#define SIZE 128
constexpr int Size = 128;
constexpr int Included = 128;
#endif
#define TWICE (2 * SIZE)
#ifdef __CUDA_ARCH__
#define ON_HOST(...)
#else
#define ON_HOST(...) __VA_ARGS__
#endif
KERNEL(macro)
KERNEL(macroOfMacro)
KERNEL(constantOf)
KERNEL(constantByMacro)
KERNEL(included)
KERNEL(byFunction)
KERNEL(byType)
KERNEL(underDevice)
KERNEL(inSkipped)
KERNEL(byMacros)
#define LAUNCHED byMacros
#define LAUNCH() LAUNCHED<<<2, 128>>>(o)
KERNEL(inArguments)
KERNEL(byTarget)
KERNEL(shadowed)
template <int N> __global__ void ofSize(int *o) { o[threadIdx.x] = N; }
const int ByMacro = TWICE;
constexpr int count() {
#ifdef __CUDA_ARCH__
  return 64;
#else
  return 128;
#endif
}
struct Type {
#if SIZE > 128
  static constexpr int threads = 64;
#else
  static constexpr int threads = 128;
#endif
};
constexpr int Shadowed = 64;
void runText(int *o, bool big) {
  macro<<<2, SIZE>>>(o);
  macroOfMacro<<<2, TWICE>>>(o);
  constantOf<<<2, Size>>>(o);
  constantByMacro<<<2, ByMacro>>>(o);
  included<<<2, Included>>>(o);
  byFunction<<<2, count()>>>(o);
  byType<<<2, Type::threads>>>(o);
#ifdef __CUDA_ARCH__
  underDevice<<<2, 64>>>(o);
#else
  underDevice<<<2, 128>>>(o);
#endif
#ifndef __CUDA_ARCH__
  const int Shadowed = 128;
  if (big) {
    inSkipped<<<2, 128>>>(o);
    LAUNCH();
    return;
  }
#endif
  inSkipped<<<2, 64>>>(o);
  byMacros<<<2, 64>>>(o);
  shadowed<<<2, Shadowed>>>(o);
  ofSize<SIZE><<<2, 64>>>(o);
  ON_HOST(if (big) inArguments<<<2, 128>>>(o);)
  inArguments<<<2, 64>>>(o);
  NV_IF_TARGET(NV_IS_HOST, (byTarget<<<2, 128>>>(o);))
  byTarget<<<2, 64>>>(o);
}

// Something else launches them.
KERNEL(handedOn)
KERNEL(byAddress)
KERNEL(byRuntime)
KERNEL(byRuntimeEx)
KERNEL(inVariable)
KERNEL(inTable)
KERNEL(asArgument)
KERNEL(onlyHandedOn)
template <class T> void launchAny(void (*k)(T *), T *o, int threads) { k<<<2, threads>>>(o); }
template <void (*K)(int *)> void launchIt(int *o, int threads) { K<<<2, threads>>>(o); }
void (*const table[])(int *) = {inTable, &inTable};
void launch(int *o, int i) {
  handedOn<<<2, 64>>>(o);
  launchAny(handedOn, o, 512);
  byAddress<<<2, 64>>>(o);
  launchAny(&byAddress, o, 512);
  void *args[] = {&o};
  byRuntime<<<2, 64>>>(o);
  cudaLaunchKernel((void *)byRuntime, 2, 512, args, 0, nullptr);
  cudaLaunchConfig_t config{};
  config.blockDim = 512;
  byRuntimeEx<<<2, 64>>>(o);
  cudaLaunchKernelEx(&config, byRuntimeEx, o);
  auto *variable = inVariable;
  inVariable<<<2, 64>>>(o);
  variable<<<2, 512>>>(o);
  inTable<<<2, 64>>>(o);
  table[i]<<<2, 512>>>(o);
  asArgument<<<2, 64>>>(o);
  launchIt<asArgument>(o, 512);
  cudaLaunchKernel((void *)onlyHandedOn, 2, 512, args, 0, nullptr);
}
//--- casts.cu
// A function that takes a reference to what is const may change it all the same.
#include "kernels.h"
KERNEL(whole)
KERNEL(number)
KERNEL(member)
KERNEL(ofType)
KERNEL(held)
KERNEL(copied)
void changeWhole(const dim3 &b) { const_cast<dim3 &>(b).x = 64; }
void changeNumber(const int &b) { (int &)b = 64; }
template <typename T> void changeAny(const T &b) { const_cast<T &>(b) = 64; }
struct Holder {
  const long &of;
  void change() const { const_cast<long &>(of) = 64; }
};
void run(int *o) {
  dim3 a(128);
  changeWhole(a);
  whole<<<2, a>>>(o);
  int b = 128;
  changeNumber(b);
  number<<<2, b>>>(o);
  unsigned d = 128;
  changeAny(d);
  ofType<<<2, d>>>(o);
  long e = 128;
  Holder{e}.change();
  held<<<2, e>>>(o);
  dim3 f(128), g = f;
  changeWhole(f);
  changeWhole(g);
  copied<<<2, g>>>(o);
}
void runMember(int *o) {
  dim3 c(128);
  changeAny(c.x);
  member<<<2, c>>>(o);
}

//--- pointers.cu
#include "kernels.h"
KERNEL(byAddress)
KERNEL(byNumber)
KERNEL(byBytes)
void change(const dim3 &b) { *(unsigned *)&b = 64; }
void changeNumber(const int &b) { *reinterpret_cast<int *>((size_t)&b) = 64; }
void changeBytes(const long &b) {
  const char *bytes = (const char *)&b;
  *const_cast<char *>(bytes) = 64;
}
void run(int *o) {
  dim3 a(128);
  change(a);
  byAddress<<<2, a>>>(o);
  int b = 128;
  changeNumber(b);
  byNumber<<<2, b>>>(o);
  long c = 128;
  changeBytes(c);
  byBytes<<<2, c>>>(o);
}

//--- void.cu
#include "kernels.h"
KERNEL(byVoid)
void change(const int &b) {
  const void *any = &b;
  *(int *)any = 64;
}
void run(int *o) {
  int a = 128;
  change(a);
  byVoid<<<2, a>>>(o);
}

//--- classes.cu
// What a class makes of its arguments, or of what it holds, is its own affair, and so are members.
#include "kernels.h"
KERNEL(converted)
KERNEL(temporary)
KERNEL(intermediate)
KERNEL(asNumber)
KERNEL(aggregate)
KERNEL(base)
KERNEL(byReference)
KERNEL(field)
KERNEL(byMethod)
KERNEL(ofCopy)
KERNEL(ofInitialiser)
KERNEL(isMutable)
KERNEL(ofArray)
KERNEL(ofConstant)
KERNEL(ofDefault)
template <typename T> __global__ void typed(T *o) { o[threadIdx.x] = 1; }
struct Half {
  int threads;
  Half(int n) : threads(n / 2) {}
  operator dim3() const { return dim3(threads); }
};
struct Number {
  int n;
  Number(int n) : n(n / 2) {}
  operator int() const { return n; }
};
struct Aggregate {
  int n;
  operator dim3() const { return dim3(n / 2); }
};
struct Derived : dim3 {
  Derived(int n) : dim3(n / 2) {}
};
struct Member {
  dim3 block;
  Member(int n) : block(n / 2) {}
  operator const dim3 &() const { return block; }
};
struct Square {
  int n;
  constexpr operator dim3() const { return dim3(n, n); }
};
template <int N> struct Side {
  operator dim3() const { return dim3(N, N); }
};
struct Fields {
  int threads = 64;
  dim3 block = 64;
  void halve() { threads /= 2; }
};
struct Mutable {
  mutable int threads;
};
void run(int *o) {
  Half a(128);
  converted<<<2, a>>>(o);
  temporary<<<2, Half(128)>>>(o);
  dim3 b = Half(128);
  intermediate<<<2, b>>>(o);
  Number c(128);
  int number = c;
  asNumber<<<2, number>>>(o);
  Aggregate d{128};
  aggregate<<<2, d>>>(o);
  Derived e(128);
  base<<<2, e>>>(o);
  Member f(128);
  const dim3 &g = f;
  byReference<<<2, g>>>(o);
  Fields h{128, 128};
  int &alias = h.threads;
  alias = 64;
  field<<<2, h.threads>>>(o);
  h.halve();
  byMethod<<<2, h.threads>>>(o);
  Fields copy = h;
  copy.block.x = 32;
  ofCopy<<<2, copy.block>>>(o);
  const Fields initialised{};
  ofInitialiser<<<2, initialised.block>>>(o);
  const Mutable m{128};
  m.threads = 64;
  isMutable<<<2, m.threads>>>(o);
  int list[] = {128};
  *list = 64;
  ofArray<<<2, list[0]>>>(o);
  constexpr Square square{8};
  ofConstant<<<2, square>>>(o);
  ofDefault<<<2, Side<8>()>>>(o);
}
// Where a type is dependent, nothing is converted yet.
template <typename T> void runTyped(T *o, int n) {
  Half a(128);
  typed<T><<<n * sizeof(T), a>>>(o);
}
template void runTyped(int *, int);

//--- device.h
constexpr int Included = 256;

//--- unread.cu
// Clang drops a launch that it does not accept.
#include "kernels.h"
KERNEL(dropped)
KERNEL(other)
KERNEL(byMacro)
#define LAUNCHED byMacro
template <typename T> __global__ void ofTemplate(T *o) { o[threadIdx.x] = 1; }
void launch(int *o) {
  dropped<<<2, 64>>>(o);
  dropped<<<2, of_another_compiler>>>(o);
  other<<<2, 64>>>(o);
  LAUNCHED<<<2, 64>>>(o);
  LAUNCHED<<<2, of_another_compiler>>>(o);
}
template <typename T> void launchTemplate(T *o) { ofTemplate<T><<<2, 64>>>(o); }
template void launchTemplate(float *);
