// Neighbours at [k * atoms + atom], of which each atom has as many as an array says, are the atom's own, however many there
// are: steps over them follow each other in one thread.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:bonds kernels.cu:forces --distinct --name steps -o steps.cu 2>&1 | FileCheck %s
// CHECK: note: In turn, a thread its part of every kernel: bonds, then forces. In memory: bonds.b. It can be launched with bonds.last - bonds.first <= bonds.atoms alone.
// RUN: %execute -I %S/Inputs -I . main.cu steps.cu
// Where rows are shorter than the range of the threads, two of them have one element: the launch is declined.
// Neighbours of other atoms are nobody's own.
// RUN: %exits 1 %cufuse fuse --vertical kernels.cu:bonds kernels.cu:others --distinct --name no -o no.cu 2>&1 | FileCheck %s --check-prefix=OTHERS
// OTHERS: in turn: a block may use what another kernel stores, or still needs, in another block

//--- kernels.cu
__global__ void bonds(int atoms, int first, int last, const int *count, const float *x, float *b) {
  const int atom = blockIdx.x * blockDim.x + threadIdx.x + first;
  if (atom >= first && atom < last)
    for (int k = 0; k < count[atom]; ++k)
      b[k * atoms + atom] = x[atom] * k;
}
__global__ void forces(int atoms, int first, int last, const int *count, const float *b, float *f) {
  const int atom = blockIdx.x * blockDim.x + threadIdx.x + first;
  if (atom >= first && atom < last) {
    float sum = 0;
    for (int k = 0; k < count[atom]; ++k)
      sum += b[k * atoms + atom];
    f[atom] = sum;
  }
}
__global__ void others(int atoms, int first, int last, const int *count, const int *of, const float *b, float *f) {
  const int atom = blockIdx.x * blockDim.x + threadIdx.x + first;
  if (atom >= first && atom < last) {
    float sum = 0;
    for (int k = 0; k < count[atom]; ++k)
      sum += b[k * atoms + of[atom]];
    f[atom] = sum;
  }
}
inline void step(int atoms, int first, int last, const int *count, const float *x, float *b, float *f) {
  bonds<<<(last - first - 1) / 64 + 1, 64>>>(atoms, first, last, count, x, b);
  forces<<<(last - first - 1) / 64 + 1, 64>>>(atoms, first, last, count, b, f);
}
inline void stepOthers(int atoms, int first, int last, const int *count, const int *of, const float *x, float *b,
                       float *f) {
  bonds<<<(last - first - 1) / 64 + 1, 64>>>(atoms, first, last, count, x, b);
  others<<<(last - first - 1) / 64 + 1, 64>>>(atoms, first, last, count, of, b, f);
}

//--- main.cu
#include "both.h"

#include "kernels.cu"
#include "steps.h"

int main() {
  bool good = true;
  for (const int first : {0, 7}) {
    const int atoms = 300, most = 9;
    Array<int> count(atoms, most);
    Array<float> x(atoms), b(atoms * most), f(atoms);
    Both each;
    each.output("b", b), each.output("f", f);
    good &= each.same("steps", [&] { step(atoms, first, atoms, count, x, b, f); },
                      [&] {
                        require(steps::bonds_forces::launch((atoms - first - 1) / 64 + 1, 64, atoms, first, atoms,
                                                            count, x, b, f, nullptr),
                                "steps");
                      });
    good &= steps::bonds_forces::launch(9, 64, atoms / 2, 0, atoms, count, x, b, f, nullptr) ==
            cudaErrorInvalidConfiguration;
  }
  return good ? 0 : 1;
}
