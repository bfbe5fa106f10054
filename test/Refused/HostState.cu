// A variable of the host that a parameter's type names would be another one in each file that includes the launcher's header.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:numbered %s:counted %s:asked %s:pointed %s:changed %s:seeded \
// RUN:   --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:scaled --block 64 -o %t/out.cu
// RUN: %nvcc -arch=sm_90a -cubin -o %t/out.cubin %t/out.cu
// CHECK: {{[^ ]*}}:[[#@LINE+5]]:12: error: numbered: a parameter's type names a variable of the host, of which the
// CHECK-SAME: launcher's header would have another copy: next [HostState]
// CHECK: note: make it const, or move it and the type to a header that the file includes
#include <cmath>
#include <cstdlib>
static int next = 0;
struct Numbered {
  int id = next++;
};
__global__ void numbered(Numbered n, int *data) { data[threadIdx.x] = n.id; }

struct Counted {
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:21: error: counted: {{.*}}: Counted::made [HostState]
  inline static int made = 0;
  int n;
  static Counted make(int n) { return {n + 0 * ++made}; }
};
__global__ void counted(Counted c, int *data) { data[threadIdx.x] = c.n; }

inline int ask() {
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:14: error: asked: {{.*}}: asked [HostState]
  static int asked = 0;
  return ++asked;
}
struct Asked {
  int n;
  void fill() { n = ask(); }
};
__global__ void asked(Asked a, int *data) { data[threadIdx.x] = a.n; }

// What is const, but leads to what is not, or need not have the same value in each.
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:19: error: pointed: {{.*}}: counter [HostState]
static int *const counter = new int(0);
struct Pointed {
  int next() const { return ++*counter; }
};
__global__ void pointed(Pointed p, int *data) { data[threadIdx.x] = sizeof(p); }

struct Register {
  mutable int n = 0;
};
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:23: error: changed: {{.*}}: numbers [HostState]
static const Register numbers;
struct Changed {
  int next() const { return ++numbers.n; }
};
__global__ void changed(Changed c, int *data) { data[threadIdx.x] = sizeof(c); }

// CHECK: {{[^ ]*}}:[[#@LINE+1]]:18: error: seeded: {{.*}}: seed [HostState]
static const int seed = rand();
struct Seeded {
  int first() const { return seed; }
};
__global__ void seeded(Seeded s, int *data) { data[threadIdx.x] = sizeof(s); }

// What does not change has the same value in each.
static const float factors[] = {1, 2};
static const double pi = acos(-1.0);
static const float *const where = factors;
static const auto twice = [](float x) { return 2 * x; };
constexpr int most = 2;
struct Scaled {
  static const int least = 1;
  float factor;
  void choose(int i) { factor = factors[i < most ? i : least] + twice(pi) + where[0]; }
};
__global__ void scaled(Scaled s, float *data) { data[threadIdx.x] *= s.factor; }
