// Of two elements that are not both below the bound, only the first may be: one store is a whole tail.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:tripled kernels.cu:halved --link tripled.out=halved.in \
// RUN:   --link tripled.n=halved.n --block 64 --name pairs -o %t/pairs.cu
// Elements of a group may be changed in place, by every operator.
// RUN: %cufuse fuse --vertical kernels.cu:changed kernels.cu:halved --link changed.x=halved.in --link changed.n=halved.n \
// RUN:   --block 64 --name changes -o %t/changes.cu
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t/changes.cu
// ONE: Dependent kernels as one
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/pairs.cu %t/changes.cu

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
__global__ void halved(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] / 2;
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "changes.h"
#include "pairs.h"

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
  }
  return good ? 0 : 1;
}
