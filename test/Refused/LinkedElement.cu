// An intermediate's element becomes a variable: its type must allow one without a value, and copies that mean no more than
// their bytes.
// RUN: rm -rf %t && mkdir %t && cp %S/Inputs/elements.h %t
// RUN: cp %s %t/kernels.cu
// RUN: cd %t && %exits 1 %cufuse fuse --in-registers --vertical kernels.cu:makeBoxes kernels.cu:openBoxes --block 128 \
// RUN:   --link makeBoxes.boxes=openBoxes.boxes --link makeBoxes.n=openBoxes.n --dead makeBoxes.boxes -o out.cu 2>&1 | FileCheck %s --check-prefix=BOX
// RUN: %exits 1 %cufuse fuse --in-registers --vertical kernels.cu:makeLots kernels.cu:countLots --block 128 \
// RUN:   --link makeLots.lots=countLots.lots --link makeLots.n=countLots.n -o out.cu 2>&1 | FileCheck %s --check-prefix=LOT
// RUN: not ls out.cu

#include "elements.h"

// BOX: kernels.cu:[[#@LINE+4]]:17: error: elements of the intermediate cannot be kept in a variable: makeBoxes.boxes is
// BOX-SAME: struct Box * [LinkedElement]
// BOX: note: let their type have a default constructor, and leave copying and assigning to the
// BOX-SAME: compiler
__global__ void makeBoxes(Box *__restrict__ boxes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    boxes[i] = Box(i);
}
__global__ void openBoxes(const Box *__restrict__ boxes, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = boxes[i].value;
}

// LOT: error: {{.*}}: makeLots.lots is struct Lot * [LinkedElement]
__global__ void makeLots(Lot *__restrict__ lots, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    lots[i] = Lot{1.f * i, 1};
}
__global__ void countLots(const Lot *__restrict__ lots, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = lots[i].value * lots[i].copies;
}
