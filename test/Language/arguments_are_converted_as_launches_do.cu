// Of a class that only the kernel's file knows, the launcher takes the bytes. A value of another class is none, be it of the same
// size: a launch converts it. Of instances of one template, which the launcher does not know from each other, it is refused.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/k.cu:turn %t/k.cu:plain --block 64 --block 64 --name f -o %t/f.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -c -o %t/host.o %t/host.cu
// RUN: %nvcc -std=c++14 -arch=sm_90a -I%t -c -o %t/host.o %t/host.cu
// RUN: not %nvcc -DGIVEN=Degrees{180} -arch=sm_90a -I%t -c -o %t/host.o %t/host.cu 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not %nvcc -DGIVEN=Turns{180} -arch=sm_90a -I%t -c -o %t/host.o %t/host.cu 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not %nvcc -DGIVEN=other::Radians{180} -arch=sm_90a -I%t -c -o %t/host.o %t/host.cu 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: this is no Radians of the kernel's file
// RUN: %exits 1 %cufuse fuse %t/templates.cu:made %t/templates.cu:plain --block 64 --block 64 -o %t/o.cu 2>&1 | FileCheck %s --check-prefix=MADE
// RUN: %exits 1 %cufuse fuse %t/templates.cu:makes %t/templates.cu:plain --block 64 --block 64 -o %t/o.cu 2>&1 | FileCheck %s --check-prefix=MADE
// MADE: error: {{makes?|made}}: the output's host code cannot name this as the kernel's file does: {{.*}} v, to which others are converted [HostReadsOther]
// MADE: note: move it to a header that the kernel's file includes

//--- k.cu
struct Degrees {
  float v;
};
struct Radians {
  float v;
  __host__ __device__ Radians(float v) : v(v) {}
  __host__ __device__ Radians(Degrees d) : v(d.v * 0.017453293f) {}
};
struct Turns {
  float v;
  operator Radians() const { return Radians(v * 6.2831853f); }
};
namespace other {
struct Radians {
  float v;
  operator ::Radians() const { return ::Radians(-v); }
};
} // namespace other
namespace {
namespace angles {
enum class Side { left };
struct Of {
  struct Both {
    Side side;
    Radians r;
  };
};
} // namespace angles
inline namespace now {
typedef struct {
  float v;
} Plain;
} // namespace now
} // namespace
__global__ void turn(float *y, Radians r) { y[threadIdx.x] = r.v; }
__global__ void plain(float *y, angles::Side side, angles::Of::Both both, Plain p) { y[threadIdx.x] = both.r.v + p.v; }

//--- host.cu
#include "k.cu"

#include "f.h"
#ifndef GIVEN
#define GIVEN Radians(180)
#endif
int main() {
  f::turn::Launch a{1};
  a.arguments.r = GIVEN;
  f::plain::Launch b{1};
  b.arguments.side = angles::Side::left;
  b.arguments.both = angles::Of::Both{angles::Side::left, 3};
  b.arguments.p = Plain{3};
  return f::launch(a, b);
}

//--- templates.cu
template <typename T> struct From {
  T v;
  __host__ __device__ From(T v) : v(v) {}
  template <typename Other> __host__ __device__ From(From<Other> o) : v(o.v) {}
};
template <typename T> struct To {
  T v;
  template <typename Other> __host__ __device__ operator To<Other>() const { return {Other(v)}; }
};
__global__ void made(float *y, From<float> v) { y[threadIdx.x] = v.v; }
__global__ void makes(float *y, To<float> v) { y[threadIdx.x] = v.v; }
__global__ void plain(float *y) { y[threadIdx.x] = 1; }
