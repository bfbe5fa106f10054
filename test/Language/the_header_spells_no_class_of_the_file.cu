// The launcher's header has the arguments' types that only the kernels' file knows by their bytes: what the file says of
// them for the host, an operator among it, cannot be missing there. The program's own values are assigned.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:scaled %t/kernels.cu:listed %t/kernels.cu:led %t/kernels.cu:chosen %t/kernels.cu:named \
// RUN:   --block 64 --block 64 --block 64 --block 64 --block 64 --name f -o %t/f.cu
// RUN: FileCheck %s --input-file=%t/f.h
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -o %t/host %t/host.cu %t/f.cu
// RUN: %t/host
// RUN: not %nvcc -DCALCULATES -arch=sm_90a -I%t -c -o %t/host.o %t/host.cu
// RUN: not %nvcc -DMISTAKES -arch=sm_90a -I%t -c -o %t/host.o %t/host.cu 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %cufuse fuse %t/members.cu:weighed %t/members.cu:ofHeader --block 64 --block 64 --name g -o %t/g.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -c -o %t/g.o %t/g.cu
// Any compiler can read it.
// RUN: %nvcc -std=c++14 -Xcompiler -Wall,-Wextra,-Werror -I%t -c -o %t/main.o %t/main.cpp
// CHECK-NOT: operator float
// CHECK-NOT: __device__
// CHECK: struct Fix {
// CHECK-NEXT: int raw;
// CHECK: struct Secret {
// CHECK-NEXT: alignas(8) unsigned char ofValue[16];
// CHECK: Fix at[2];
// CHECK: const void *fixes;
// OTHER: this is no Fix of the kernel's file

//--- kernels.cu
#include <utility>
struct Fix {
  int raw;
  __host__ __device__ operator float() const { return raw / 256.f; }
};
__host__ __device__ inline Fix operator*(Fix a, Fix b) {
  const long long r = (long long)a.raw * b.raw >> 8;
  return {r > 32767 ? 32767 : (int)r};
}
enum class Mode : char { Sum, Mean };
class Secret { // without padding, which would be compared, too
  float *to;
  long long n;

public:
  __host__ __device__ Secret(float *to, int n) : to(to), n(n) {}
  __device__ void set(float v) const {
    if ((int)threadIdx.x < n)
      to[blockIdx.x * blockDim.x + threadIdx.x] = v;
  }
};
template <typename T, int N> struct List {
  T at[N];
  Mode mode;
  int count : 5;
};
__global__ void scaled(Fix s, const Secret to) { to.set(s * s); }
__global__ void listed(List<Fix, 2> list, float *out) {
  out[threadIdx.x] = list.mode == Mode::Mean ? list.at[0] * list.at[1] : float(list.count);
}
// A pointer to a function of such types, a private class by its public name, a structure without one.
class Scaling {
  struct Private {
    float factor;
  };

public:
  using Parameters = Private;
  static Parameters of(float factor) { return {factor}; }
};
struct Chosen {
  int (*compare)(Fix);
  int Fix::*part;
};
__global__ void chosen(const Fix *fixes, bool (*compare)(Fix), Scaling::Parameters by, Chosen at, float *out) {
  out[threadIdx.x] = by.factor + (compare != nullptr) + fixes->*at.part;
}
typedef struct {
  float x, y;
} *Points;
typedef std::pair<int, Fix> Numbered;
__global__ void named(const Points points, Numbered numbered) { points[threadIdx.x].x = numbered.second; }
__global__ void led(const Fix *fixes, float *out) { out[threadIdx.x] = fixes[threadIdx.x]; }

//--- list.h
#pragma once
template <typename T> struct List {
  T first, last;
};

//--- members.cu
#include "list.h"
__global__ void ofHeader(int List<int>::*part, bool (*compare)(List<float>), List<int> *lists) {
  lists->*part = compare != nullptr;
}
struct Fix {
  int raw, weight;
};
__global__ void weighed(const Fix *fixes, int Fix::*const by, float *out) { out[threadIdx.x] = fixes->*by; }

//--- host.cu
#include "kernels.cu"

#include "f.h"

#include <cstring>
template <typename A, typename B> bool same(const A &a, const B &b) {
  return sizeof(A) == sizeof(B) && alignof(A) == alignof(B) && std::memcmp(&a, &b, sizeof(A)) == 0;
}
bool less(Fix) { return true; }
int main() {
  const Fix fix{25600};
  List<Fix, 2> list;
  std::memset(&list, 0, sizeof list);
  list.at[1] = fix, list.mode = Mode::Mean, list.count = -3;
  f::scaled::Launch a{1};
  a.arguments.s = fix, a.arguments.to = Secret(nullptr, 3);
  f::listed::Launch b{1};
  b.arguments.list = list;
  f::led::Launch c{1, {&fix, nullptr}};
  f::scaled::Fix byField{25600};
  bool good = same(a.arguments.s, fix) && same(a.arguments.to, Secret(nullptr, 3)) && same(b.arguments.list, list) &&
              c.arguments.fixes == &fix && same(byField, fix);
  f::chosen::Launch d{1};
  d.arguments.compare = less;
  d.arguments.by = Scaling::of(3), d.arguments.at = Chosen{nullptr, &Fix::raw};
  good &= same(d.arguments.compare, &less) && same(d.arguments.by, 3.f);
  f::named::Launch e{1, {nullptr, Numbered(2, fix)}};
  good &= same(e.arguments.numbered, Numbered(2, fix));
  b = {};
  b.arguments.list.at[1].raw = 25600, b.arguments.list.mode = Mode::Mean, b.arguments.list.count = -3;
  good &= same(b.arguments.list, list);
#ifdef CALCULATES
  float wrong = byField * byField;
#endif
#ifdef MISTAKES
  struct Other {
    int raw, more;
  };
  a.arguments.s = Other{1, 2};
#endif
  return good && sizeof(&f::launch) ? 0 : 1;
}

//--- main.cpp
#include "f.h"
int main() { return f::launch({1, {{1}, {}}}, {}, {}, {}, {}, {}) != cudaSuccess; }
