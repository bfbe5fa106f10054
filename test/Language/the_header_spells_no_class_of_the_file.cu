// The launcher's header has the arguments' types that only the kernels' file knows by their bytes: what the file says of
// them for the host, an operator among it, cannot be missing there. The program's own values are assigned.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:scaled %t/kernels.cu:listed %t/kernels.cu:led --block 64 --block 64 --block 64 \
// RUN:   --name f -o %t/f.cu
// RUN: FileCheck %s --input-file=%t/f.h
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -o %t/host %t/host.cu %t/f.cu
// RUN: %t/host
// RUN: not %nvcc -DCALCULATES -arch=sm_90a -I%t -c -o %t/host.o %t/host.cu
// RUN: not %nvcc -DMISTAKES -arch=sm_90a -I%t -c -o %t/host.o %t/host.cu 2>&1 | FileCheck %s --check-prefix=OTHER
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
struct Fix {
  int raw;
  __host__ __device__ operator float() const { return raw / 256.f; }
};
__host__ __device__ inline Fix operator*(Fix a, Fix b) {
  const long long r = (long long)a.raw * b.raw >> 8;
  return {r > 32767 ? 32767 : (int)r};
}
enum class Mode : char { Sum, Mean };
class Secret {
  float *to;
  int n;

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
__global__ void led(const Fix *fixes, float *out) { out[threadIdx.x] = fixes[threadIdx.x]; }

//--- host.cu
#include "kernels.cu"

#include "f.h"

#include <cstring>
template <typename A, typename B> bool same(const A &a, const B &b) {
  return sizeof(A) == sizeof(B) && alignof(A) == alignof(B) && std::memcmp(&a, &b, sizeof(A)) == 0;
}
int main() {
  const Fix fix{25600};
  List<Fix, 2> list;
  std::memset(&list, 0, sizeof list);
  list.at[1] = fix, list.mode = Mode::Mean, list.count = -3;
  f::scaled::Launch a{1};
  a.arguments.s = fix, a.arguments.to = Secret(nullptr, 3);
  f::listed::Launch b{1};
  b.arguments.list = list;
  f::led::Launch c{1, 0, {&fix, nullptr}};
  f::scaled::Fix byField{25600};
  bool good = same(a.arguments.s, fix) && same(a.arguments.to, Secret(nullptr, 3)) && same(b.arguments.list, list) &&
              c.arguments.fixes == &fix && same(byField, fix);
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
int main() { return f::launch({1, 0, {{1}, {}}}, {}, {}) != cudaSuccess; }
