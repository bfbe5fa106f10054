// Such a header would be read twice: by the fused header, for the parameters, and by its source.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/a.cu:move %t/b.cu:shift --block 32 --block 64 --name fused -o %t/fused.cu
// RUN: %nvcc -std=c++17 -arch=sm_90a -I %t -cubin -o %t/fused.cubin %t/fused.cu
// The program may include it before the fused header, or leave that out.
// RUN: %nvcc -std=c++17 -arch=sm_90a -I %t -c -o %t/user.o %t/user.cu
// A guarded one stays shared, and with it what it includes.
// RUN: FileCheck %s --input-file %t/fused.h
// CHECK: #include "guarded.h"
// CHECK-NOT: #include "plain.h"
// CHECK-NOT: #include "inner.h"

//--- plain.h
typedef struct {
  float x;
} Vec;
//--- inner.h
struct Inner {
  int i;
};
//--- guarded.h
#ifndef GUARDED_H
#define GUARDED_H
#include "inner.h"
struct Outer {
  Inner inner;
};
#endif
//--- a.cu
#include "plain.h"
#include "guarded.h"
__global__ void move(Vec *v, Outer by) { v[threadIdx.x].x += by.inner.i; }
//--- b.cu
#include "plain.h"
__global__ void shift(Vec *v) { v[threadIdx.x].x += 2; }
//--- user.cu
#include "plain.h"
#include "guarded.h"
#include "fused.h"
fused::move::Launch launch(Outer by) {
  fused::move::Launch launch{};
  launch.arguments.by = by;
  return launch;
}
