// Of two elements that are not both below the bound, only the first may be: one store is a whole tail.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:tripled kernels.cu:halved --link tripled.out=halved.in \
// RUN:   --link tripled.n=halved.n --block 64 --name pairs -o %t/pairs.cu
// Elements of a group may be changed in place, by every operator.
// RUN: %cufuse fuse --vertical kernels.cu:changed kernels.cu:halved --link changed.x=halved.in --link changed.n=halved.n \
// RUN:   --block 64 --name changes -o %t/changes.cu
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t/changes.cu
// ONE: Dependent kernels as one
// Without a tail, groups go with single elements where the launch leaves no rest, the one or the other first.
// RUN: %cufuse fuse --vertical kernels.cu:signs kernels.cu:halved --link signs.x=halved.in --link signs.n=halved.n \
// RUN:   --block 64 --name first -o %t/first.cu 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// MULTIPLE: note: It can be launched with signs.n a multiple of 4 alone.
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t/first.cu
// RUN: %cufuse fuse --vertical kernels.cu:halved kernels.cu:signs --link halved.out=signs.x --link halved.n=signs.n \
// RUN:   --block 64 --name behind -o %t/behind.cu
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t/behind.cu
// A number of groups is given as such: how many elements that are says a link, as the refusal has it.
// RUN: %exits 1 %cufuse fuse --vertical kernels.cu:quads kernels.cu:halved --link quads.x=halved.in --in-registers --block 64 \
// RUN:   --name fours -o %t/fours.cu 2>&1 | FileCheck %s --check-prefix=EQUAL
// EQUAL: note: if they are equal, say --link 'quads.4*count=halved.n'{{$}}
// RUN: %cufuse fuse --vertical kernels.cu:quads kernels.cu:halved --link quads.x=halved.in --link 'quads.4*count=halved.n' \
// RUN:   --block 64 --name fours -o %t/fours.cu
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t/fours.cu
// RUN: %exits 2 %cufuse fuse kernels.cu:quads kernels.cu:halved --link quads.x=halved.in --link quads.4=halved.n --name no \
// RUN:   -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: 'quads.4=halved.n' links no parameter
// NUMBER-NEXT: note: fix an argument by --bind halved.n=4
// Of more at a time there would be parts that are no group.
// RUN: %exits 1 %cufuse fuse --vertical kernels.cu:changed kernels.cu:pairwise --link changed.x=pairwise.x \
// RUN:   --link changed.n=pairwise.n --in-registers --block 64 --name no -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=PART
// PART: of 2 * ((changed.n) / (2)) elements in whole groups of 2; {{.*}} [DifferentBounds]
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/pairs.cu %t/changes.cu %t/first.cu %t/behind.cu %t/fours.cu

//--- kernels.cu
__global__ void tripled(const float *__restrict__ x, float *__restrict__ out, int n) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < n) {
    const float2 both = *reinterpret_cast<const float2 *>(x + i);
    *reinterpret_cast<float2 *>(out + i) = make_float2(3 * both.x, 3 * both.y);
  } else if (i < n) {
    out[i] = 3 * x[i];
  }
}
__global__ void changed(float *__restrict__ x, int *__restrict__ bits, short *__restrict__ counts, float by, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    float4 v = *reinterpret_cast<float4 *>(x + i);
    v.x *= by, v.y *= by, v.z *= by, v.w *= by;
    *reinterpret_cast<float4 *>(x + i) = v;
    int4 b = *reinterpret_cast<int4 *>(bits + i);
    b.x = ~b.x, b.y = ~b.y, b.z = ~b.z, b.w = ~b.w;
    *reinterpret_cast<int4 *>(bits + i) = b;
    for (int k = i; k < i + 4; ++k)
      counts[k] += x[k];
  } else {
    for (int k = i; k < n; ++k) {
      x[k] *= by;
      bits[k] += counts[k]++;
    }
  }
}
__global__ void signs(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
    float4 v = reinterpret_cast<float4 *>(x)[i];
    v.y = -v.y, v.w = -v.w;
    reinterpret_cast<float4 *>(x)[i] = v;
  }
}
__global__ void quads(float *x, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float4 v = reinterpret_cast<float4 *>(x)[i];
    v.x = 0;
    reinterpret_cast<float4 *>(x)[i] = v;
  }
}
__global__ void pairwise(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2)
    reinterpret_cast<float2 *>(x)[i] = make_float2(0, reinterpret_cast<float2 *>(x)[i].x);
}
__global__ void halved(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] / 2;
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "behind.h"
#include "changes.h"
#include "first.h"
#include "pairs.h"
#include "fours.h"

int main() {
  constexpr int room = 300;
  Array<float> x(room), middle(room), y(room);
  Array<int> bits(room);
  Array<short> counts(room);
  bool good = true;
  for (int n : {0, 1, 2, 63, 64, 255, 256, 257}) {
    pairs::tripled_halved::Launch given{};
    given.grid = 2;
    given.arguments.x = x, given.arguments.tripled_out = middle, given.arguments.n = n;
    given.arguments.halved_out = y;
    Both both;
    both.output("middle", middle), both.output("y", y);
    good &= both.same(
        "pairs",
        [&] {
          tripled<<<3, 64>>>(x, middle, n);
          halved<<<5, 64>>>(middle, y, n);
        },
        [&] { require(pairs::launch(given, nullptr), "pairs"); }, n == 0);
    Both ofChanges;
    ofChanges.output("middle", middle), ofChanges.output("bits", bits), ofChanges.output("counts", counts),
        ofChanges.output("y", y);
    good &= ofChanges.same(
        "changes",
        [&] {
          changed<<<2, 64>>>(middle, bits, counts, 1.5f, n);
          halved<<<5, 64>>>(middle, y, n);
        },
        [&] { require(changes::changed_halved::launch(middle, bits, counts, 1.5f, n, y), "changes"); }, n == 0);
    if (n % 4 != 0) {
      good &= first::signs_halved::launch(middle, n, y, nullptr) == cudaErrorInvalidConfiguration;
      good &= behind::halved_signs::launch(middle, y, n, nullptr) == cudaErrorInvalidConfiguration;
      continue;
    }
    Both ofGroups, ofBoth, ofQuads;
    ofGroups.output("middle", middle), ofGroups.output("y", y), ofBoth.output("y", y);
    ofQuads.output("middle", middle), ofQuads.output("y", y);
    good &= ofQuads.same(
        "quads",
        [&] {
          quads<<<2, 64>>>(middle, n / 4);
          halved<<<5, 64>>>(middle, y, n);
        },
        [&] { require(fours::quads_halved::launch(middle, n / 4, y), "quads"); }, n == 0);
    good &= ofGroups.same(
        "groups first",
        [&] {
          signs<<<1, 32>>>(middle, n);
          halved<<<5, 64>>>(middle, y, n);
        },
        [&] { require(first::signs_halved::launch(middle, n, y), "first"); }, n == 0);
    good &= ofBoth.same(
        "groups behind",
        [&] {
          halved<<<5, 64>>>(middle, y, n);
          signs<<<1, 32>>>(y, n);
        },
        [&] { require(behind::halved_signs::launch(middle, y, n), "behind"); }, n == 0);
  }
  return good ? 0 : 1;
}
