// A number of 32 bits that goes on in 64, or is divided, has lost what it has no bits for: it belongs to an element only if
// it is a function of that by itself. An index does not overflow. Where there are no elements, nothing is divided by zero.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse inspect --full kernels.cu | FileCheck kernels.cu
// DEFINE: %{k} =
// DEFINE: %{before} = %cufuse fuse --distinct kernels.cu:%{k} kernels.cu:twice --link %{k}.y=twice.in --link %{k}.n=twice.n --dead y \
// DEFINE:   --block 96 --name of_%{k} -o %t/%{k}.cu
// REDEFINE: %{k} = bases
// RUN: %{before}
// REDEFINE: %{k} = scaled
// RUN: %{before}
// REDEFINE: %{k} = divided
// RUN: %{before}
// REDEFINE: %{k} = asked
// RUN: %{before}
// REDEFINE: %{k} = seeds
// RUN: %{before}
// REDEFINE: %{k} = broadcast
// RUN: %{before}
// RUN: %cufuse fuse kernels.cu:twice kernels.cu:bases --link twice.out=bases.x --link twice.n=bases.n --dead twice.out \
// RUN:   --block 96 --name consumed -o %t/consumed.cu
// RUN: %cufuse fuse kernels.cu:product kernels.cu:broadcast --link product.y=broadcast.x --link product.n=broadcast.n \
// RUN:   --dead product.y --block 96 --name stored -o %t/stored.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/bases.cu %t/scaled.cu %t/divided.cu %t/asked.cu %t/seeds.cu \
// RUN:   %t/broadcast.cu %t/consumed.cu %t/stored.cu

//--- kernels.cu
// CHECK-LABEL: {{^}}twice(
// CHECK: pointwise: elements below n
__global__ void twice(const float *__restrict__ in, float *__restrict__ out, int n) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}

// CHECK-LABEL: {{^}}bases(
// CHECK: opaque
// CHECK: not pointwise {{.*}}has 32 bits, and may lose some
__global__ void bases(const float *__restrict__ x, float *__restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned base = blockIdx.x * blockDim.x * 1000003u;
  const unsigned long long seed = base + threadIdx.x * 1000003ull;
  if (i < n)
    y[i] = x[i] + seed % 1009;
}
__global__ void scaled(const float *__restrict__ x, float *__restrict__ y, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int base = blockIdx.x * blockDim.x * by;
  if (i < n)
    y[i] = x[(base + static_cast<long long>(threadIdx.x) * by) % 8191 & 63];
}
__global__ void divided(const float *__restrict__ x, float *__restrict__ y, int n, unsigned by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned base = (blockIdx.x * blockDim.x * 16 + by * 16) / 16;
  if (i < n)
    y[i] = x[i] + (base + threadIdx.x);
}
__global__ void asked(const float *__restrict__ x, float *__restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const long long base = static_cast<int>(static_cast<long long>(blockIdx.x) * blockDim.x << 28);
  if (i < n)
    y[i] = base + (static_cast<long long>(threadIdx.x) << 28) > 3000000000ll ? x[i] : 0;
}
// CHECK-LABEL: {{^}}seeds(
// CHECK: pointwise: elements below n
// CHECK-LABEL: {{^}}broadcast(
// CHECK: pointwise: elements below n
__global__ void seeds(const float *__restrict__ x, float *__restrict__ y, int n, unsigned by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned seed = i * 2654435761u + by;
  const unsigned long long wide = seed;
  const long long narrow = static_cast<int>(wide * 5);
  if (i < n)
    y[i] = x[i] + (wide >> 20) + narrow % 1009;
}
__global__ void broadcast(const float *__restrict__ x, float *__restrict__ y, int n, int columns) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + i % columns;
}
__global__ void product(const float *__restrict__ x, float *__restrict__ y, int n, int rows) {
  __shared__ float sums[96];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = i < n ? x[i % rows] : 0;
  __syncthreads();
  if (i < n)
    y[i] = sums[0];
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "asked.h"
#include "bases.h"
#include "broadcast.h"
#include "consumed.h"
#include "divided.h"
#include "scaled.h"
#include "seeds.h"
#include "stored.h"

int main() {
  constexpr int most = 4800;
  Array<float> x(most), middle(most), out(most);
  bool good = true;
  for (int n : {0, 100, most}) {
    const int grid = n / 96 + 1;
    Both both;
    both.output("out", out);
    auto first = [&](const char *name, auto launched, auto unfused, auto fused) {
      launched.grid = grid;
      good &= both.same(
          name,
          [&] {
            unfused();
            twice<<<grid, 96>>>(middle, out, n);
          },
          [&] { require(fused(launched), name); }, n == 0);
    };
#define FIRST(NAME, GIVEN, ...)                                                                                        \
  first(                                                                                                               \
      #NAME, of_##NAME::NAME##_twice::Launch{},                                                                        \
      [&] { NAME<<<grid, 96>>>(x, middle, n __VA_OPT__(, ) __VA_ARGS__); },                                            \
      [&](auto &launched) {                                                                                            \
        auto &a = launched.arguments;                                                                                  \
        a.x = x, a.n = n, a.out = out, GIVEN;                                                      \
        return of_##NAME::launch(launched, nullptr);                                                                   \
      })
    FIRST(bases, (void)0);
    FIRST(scaled, a.scaled_by = 100000007, 100000007);
    FIRST(divided, a.divided_by = 0x0ffffff0, 0x0ffffff0);
    FIRST(asked, (void)0);
    FIRST(seeds, a.seeds_by = 0xfffffff0, 0xfffffff0);
    const int columns = n ? 7 : 0;
    FIRST(broadcast, a.columns = columns, columns);

    consumed::twice_bases::Launch later{};
    later.grid = grid;
    later.arguments.in = x, later.arguments.n = n, later.arguments.y = out;
    good &= both.same(
        "consumed",
        [&] {
          twice<<<grid, 96>>>(x, middle, n);
          bases<<<grid, 96>>>(middle, out, n);
        },
        [&] { require(consumed::launch(later, nullptr), "consumed"); }, n == 0);

    stored::product_broadcast::Launch both_divide{};
    both_divide.grid = grid;
    both_divide.arguments.x = x, both_divide.arguments.n = n, both_divide.arguments.rows = columns;
    both_divide.arguments.y = out, both_divide.arguments.columns = columns;
    good &= both.same(
        "stored",
        [&] {
          product<<<grid, 96>>>(x, middle, n, columns);
          broadcast<<<grid, 96>>>(middle, out, n, columns);
        },
        [&] { require(stored::launch(both_divide, nullptr), "stored"); }, n == 0);
  }
  return good ? 0 : 1;
}
